'use client';

import type { AppealableKind, AppealSettings } from '@bailiff/core';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CheckField, TextAreaField } from '#components/ui/field.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { isEmpty, useKeptChanges } from '#components/use-kept-draft.ts';
import { PLACES } from '#src/settings-sections.ts';
import { type ChannelChoice, isElsewhere } from './channel-field.tsx';
import { ChannelSetting } from './channel-setting.tsx';
import { NumberField } from './number-field.tsx';
import { QuestionList } from './question-list.tsx';
import { SaveBar } from './save-bar.tsx';
import { useSaved } from './use-saved.ts';

interface Props {
  guildId: string;
  settings: AppealSettings;
  kinds: readonly { readonly kind: AppealableKind; readonly name: string }[];
  channels: readonly ChannelChoice[];
  /** A sentence about channels that are not in the list; null if all are. */
  hiddenChannels: string | null;
  mostQuestions: number;
}

/** The form for what can be appealed, what people are asked, and how moderators decide. */
export function AppealSettingsForm({
  guildId,
  settings: rendered,
  kinds,
  channels,
  hiddenChannels,
  mostQuestions,
}: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [settings, keepSaved] = useSaved(rendered, refreshing);
  const [edited, change, settle, discard] = useKeptChanges(`appeals:${guildId}`, settings, busy);
  const [unknown, setUnknown] = useState<string | null>(null);
  /** How often changes were discarded: a text that was left in a field goes with them. */
  const [discarded, setDiscarded] = useState(0);
  const draft: AppealSettings = { ...settings, ...edited };
  const isChanged = !isEmpty(edited);
  const numberIn = (name: 'cooldown_days' | 'votes_needed', least: number, most: number) => ({
    least,
    most,
    value: draft[name],
    error: failure?.issueOf(name),
    onChange: (value: number) => change({ [name]: value }),
  });
  const toggle = (kind: AppealableKind, on: boolean) => {
    const chosen = kinds
      .map((each) => each.kind)
      .filter((each) => (each === kind ? on : draft.kinds.includes(each)));
    // People can only be asked something if there is a question.
    change({
      kinds: chosen,
      ...(draft.questions.length === 0 ? { questions: [t('appeals.starting')] } : {}),
    });
  };
  const wrong =
    unknown !== null
      ? t(isElsewhere(unknown, guildId) ? 'guild.channelElsewhere' : 'guild.channelNot')
      : draft.kinds.length > 0 && draft.questions.length === 0
        ? t('appeals.needsQuestion')
        : null;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || !isChanged) return;
    // What was not changed may be saved elsewhere meanwhile.
    if ((await call('PATCH', `/api/guilds/${guildId}/appeal-settings`, edited)) === null) return;
    keepSaved(edited);
    settle();
    toast({ text: t('saved') });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-5 p-4">
      <fieldset id={PLACES.appealKinds}>
        <legend className="mb-1 font-medium">{t('appeals.kinds')}</legend>
        <div className="flex flex-wrap gap-x-5 gap-y-2">
          {kinds.map(({ kind, name }) => (
            <CheckField
              key={kind}
              label={name}
              checked={draft.kinds.includes(kind)}
              onChange={({ target }) => toggle(kind, target.checked)}
            />
          ))}
        </div>
      </fieldset>
      <TextAreaField
        label={t('appeals.introduction')}
        hint={t('appeals.introductionHint')}
        rows={3}
        maxLength={1000}
        value={draft.introduction}
        onChange={({ target }) => change({ introduction: target.value })}
        error={failure?.issueOf('introduction')}
      />
      <QuestionList
        id={PLACES.appealQuestions}
        questions={draft.questions}
        most={mostQuestions}
        mostCharacters={200}
        labels={{
          title: t('appeals.questions'),
          question: (number) => t('appeals.question', { number }),
          remove: (number) => t('appeals.removeQuestion', { number }),
          add: t('appeals.addQuestion'),
        }}
        issueOf={(index) => failure?.issueOf(`questions.${index}`)}
        onChange={(questions) => change({ questions })}
      />
      <div id={PLACES.appealRules} className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label={t('appeals.cooldown')}
          hint={t('appeals.cooldownHint')}
          {...numberIn('cooldown_days', 0, 365)}
        />
        <NumberField
          label={t('appeals.votes')}
          hint={t('appeals.votesHint')}
          {...numberIn('votes_needed', 0, 20)}
        />
      </div>
      <ChannelSetting
        key={discarded}
        id={PLACES.appealChannel}
        guildId={guildId}
        channels={channels}
        label={t('appeals.channel')}
        none={t('appeals.channelNone')}
        hint={
          <>
            {t('appeals.channelHint')} {hiddenChannels}
          </>
        }
        error={failure?.issueOf('channel_id')}
        value={draft.channel_id}
        onChange={(channel_id) => change({ channel_id })}
        onUnknown={setUnknown}
      />
      <SaveBar
        isChanged={isChanged || wrong !== null}
        busy={busy}
        failure={failure}
        wrong={wrong}
        onDiscard={() => {
          discard();
          setUnknown(null);
          setDiscarded(discarded + 1);
          forget();
        }}
      />
    </form>
  );
}
