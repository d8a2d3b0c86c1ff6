'use client';

import type { TicketCategory, TicketSettings } from '@bailiff/core';
import { Plus } from 'lucide-react';
import type { FormEvent } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '#components/ui/button.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { Switch } from '#components/ui/switch.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { isEmpty, useKeptChanges } from '#components/use-kept-draft.ts';
import { PLACES } from '#src/settings-sections.ts';
import { NumberField } from './number-field.tsx';
import { SaveBar } from './save-bar.tsx';
import { TicketCategoryFields, type TicketFormLimits, type TicketRole } from './ticket-category-fields.tsx';
import { useSaved } from './use-saved.ts';

interface Props {
  guildId: string;
  settings: TicketSettings;
  /** The roles that may read tickets. */
  roles: readonly TicketRole[];
  limits: TicketFormLimits & { readonly categories: number; readonly open: number };
}

/** The form for what members are asked when they open a ticket, and how many they may open. */
export function TicketSettingsForm({ guildId, settings: rendered, roles, limits }: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [settings, keepSaved] = useSaved(rendered, refreshing);
  const [edited, change, settle, discard] = useKeptChanges(`tickets:${guildId}`, settings, busy);
  const draft: TicketSettings = { ...settings, ...edited };
  const isChanged = !isEmpty(edited);
  const numberIn = (
    name: 'most_open_of_person' | 'most_open_of_guild' | 'cooldown_minutes',
    least: number,
    most: number,
  ) => ({
    least,
    most,
    value: draft[name],
    error: failure?.issueOf(name),
    onChange: (value: number) => change({ [name]: value }),
  });
  const { categories } = draft;
  const names = categories.map(({ name }) => name.trim());
  const wrong = new Set(names).size < names.length ? t('tickets.sameName') : null;
  const isFull = categories.length >= limits.categories;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || !isChanged) return;
    // What was not changed may be saved elsewhere meanwhile.
    if ((await call('PATCH', `/api/guilds/${guildId}/ticket-settings`, edited)) === null) return;
    keepSaved(edited);
    settle();
    toast({ text: t('saved') });
  };
  const empty: TicketCategory = { name: '', description: '', questions: [], role_ids: [] };
  return (
    <form onSubmit={(event) => void save(event)} className="grid grid-cols-1 gap-5 p-4">
      <div id={PLACES.ticketCategories} className="grid grid-cols-1 gap-3">
        <div>
          <h3 className="font-medium">{t('tickets.categories')}</h3>
          <p className="text-ink-soft max-w-prose">{t('tickets.categoriesHint')}</p>
        </div>
        {categories.map((category, index) => (
          <TicketCategoryFields
            // biome-ignore lint/suspicious/noArrayIndexKey: a category is known by its place while it has no name
            key={index}
            category={category}
            number={index + 1}
            roles={roles}
            limits={limits}
            issueOf={(path) => failure?.issueOf(`categories.${index}.${path}`)}
            onChange={(changes) =>
              change({ categories: categories.with(index, { ...category, ...changes }) })
            }
            onRemove={() => change({ categories: categories.toSpliced(index, 1) })}
          />
        ))}
        <div>
          <Button disabled={isFull} onClick={() => change({ categories: [...categories, empty] })}>
            <Plus aria-hidden size={16} />
            {t('tickets.addCategory')}
          </Button>
          <Obstacles because={[isFull ? t('tickets.full', { count: limits.categories }) : null]} />
        </div>
      </div>
      <div id={PLACES.ticketLimits} className="grid gap-4 sm:grid-cols-3">
        <NumberField
          label={t('tickets.mostOfPerson')}
          hint={t('tickets.mostOfPersonHint')}
          {...numberIn('most_open_of_person', 1, 20)}
        />
        <NumberField
          label={t('tickets.mostOfGuild')}
          hint={t('tickets.mostOfGuildHint')}
          {...numberIn('most_open_of_guild', 1, limits.open)}
        />
        <NumberField
          label={t('tickets.pause')}
          hint={t('tickets.pauseHint')}
          {...numberIn('cooldown_minutes', 0, 1440)}
        />
      </div>
      <div id={PLACES.ticketTranscript}>
        <Switch
          label={t('tickets.sendTranscript')}
          hint={t('tickets.sendTranscriptHint')}
          checked={draft.sends_transcript}
          onChange={(sends_transcript) => change({ sends_transcript })}
        />
      </div>
      <div id={PLACES.ticketFeedback}>
        <Switch
          label={t('tickets.askFeedback')}
          hint={t('tickets.askFeedbackHint')}
          checked={draft.asks_feedback}
          onChange={(asks_feedback) => change({ asks_feedback })}
        />
      </div>
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
