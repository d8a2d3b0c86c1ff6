'use client';

import type { PublicAnswer } from '@bailiff/core';
import {
  fillNotice,
  MOST_NOTICE_WORDS,
  NOTICE_PLACEHOLDERS,
  unknownPlaceholder,
} from '@bailiff/core/notice-words';
import type { FormEvent } from 'react';
import { useTranslations } from 'use-intl/react';
import { CheckField, TextAreaField, TextField } from '#components/ui/field.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { isEmpty, useKeptChanges } from '#components/use-kept-draft.ts';
import { PLACES } from '#src/settings-sections.ts';
import { SaveBar } from './save-bar.tsx';
import { useSaved } from './use-saved.ts';

interface NoticeDraft {
  readonly words: string;
  /** `#` and six hexadecimal digits. */
  readonly colour: string;
  /** What everybody in the channel is told of. */
  readonly answers: readonly PublicAnswer[];
}

interface Props {
  guildId: string;
  /** Of the messages. */
  language: string;
  saved: NoticeDraft;
  /** What everybody can be told of, with its name. */
  answerable: readonly { readonly operation: PublicAnswer; readonly name: string }[];
  /** Bailiff's own lines in the preview. */
  lines: readonly string[];
  /** Whose the guild's own words are, as the message says it. */
  from: string;
  sample: Parameters<typeof fillNotice>[1];
  /** Whether the guild sends no such messages. */
  isOff: boolean;
}

/** The form for what a guild adds to the messages about cases, with a preview of such a message. */
export function NoticeForm({ guildId, language, answerable, lines, from, sample, isOff, ...props }: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [saved, keepSaved] = useSaved(props.saved, refreshing);
  const [edited, change, settle, discard] = useKeptChanges(`notices:${guildId}`, saved, busy);
  const { words, colour, answers } = { ...saved, ...edited };
  const toggle = (operation: PublicAnswer, on: boolean) =>
    change({
      answers: answerable
        .map((each) => each.operation)
        .filter((each) => (each === operation ? on : answers.includes(each))),
    });
  const isChanged = !isEmpty(edited);
  const unknown = unknownPlaceholder(words);
  const wrong = unknown === null ? null : t('notices.unknown', { placeholder: unknown });

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || !isChanged) return;
    // What was not changed may be saved elsewhere meanwhile.
    const changes = {
      ...(edited.words === undefined ? {} : { notice_words: edited.words }),
      ...(edited.colour === undefined ? {} : { notice_colour: edited.colour }),
      ...(edited.answers === undefined ? {} : { public_answers: edited.answers }),
    };
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, changes)) === null) return;
    keepSaved(edited);
    settle();
    toast({ text: t('saved') });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-5 p-4">
      {isOff ? <Callout tone="warn" title={t('notices.off')} /> : null}
      <div id={PLACES.noticeWords}>
        <TextAreaField
          label={t('notices.words')}
          hint={t('notices.wordsHint', {
            placeholders: NOTICE_PLACEHOLDERS.map((name) => `{${name}}`).join(' '),
          })}
          rows={5}
          maxLength={MOST_NOTICE_WORDS}
          value={words}
          onChange={({ target }) => change({ words: target.value })}
          error={wrong ?? failure?.issueOf('notice_words')}
        />
      </div>
      <div id={PLACES.noticeColour} className="w-40">
        <TextField
          type="color"
          className="h-9 p-1"
          label={t('notices.colour')}
          value={colour}
          onChange={({ target }) => change({ colour: target.value })}
          error={failure?.issueOf('notice_colour')}
        />
      </div>
      <section aria-label={t('notices.preview')} className="grid gap-1">
        <h3 className="font-medium">{t('notices.preview')}</h3>
        <p className="text-ink-soft">{t('notices.previewHint')}</p>
        <div lang={language} className="border-line bg-canvas rounded-md border p-3 wrap-anywhere">
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {words.trim() === '' ? null : (
            <blockquote className="bg-raised relative mt-2 max-w-xl overflow-hidden rounded-md p-2.5 pl-3.5">
              <svg aria-hidden className="absolute inset-y-0 left-0 h-full w-1">
                <rect width="100%" height="100%" fill={colour} />
              </svg>
              <p className="font-medium">{from}</p>
              <p className="whitespace-pre-wrap">{fillNotice(words.trim(), sample)}</p>
            </blockquote>
          )}
        </div>
      </section>
      <fieldset id={PLACES.publicAnswers}>
        <legend className="font-medium">{t('notices.public')}</legend>
        <p className="text-ink-soft mb-2">{t('notices.publicHint')}</p>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {answerable.map(({ operation, name }) => (
            <CheckField
              key={operation}
              label={name}
              checked={answers.includes(operation)}
              onChange={({ target }) => toggle(operation, target.checked)}
            />
          ))}
        </div>
      </fieldset>
      <SaveBar
        isChanged={isChanged}
        busy={busy}
        failure={failure}
        wrong={wrong}
        onDiscard={() => {
          discard();
          forget();
        }}
      />
    </form>
  );
}
