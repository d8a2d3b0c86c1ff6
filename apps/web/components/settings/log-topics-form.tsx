'use client';

import { LOG_TOPICS, type LogTopic } from '@bailiff/core/log-topics';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Callout } from '#components/ui/panel.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { isEmpty, useKeptChanges } from '#components/use-kept-draft.ts';
import { type ChannelChoice, isElsewhere } from './channel-field.tsx';
import { ChannelSetting } from './channel-setting.tsx';
import { SaveBar } from './save-bar.tsx';
import { useSaved } from './use-saved.ts';

type Problem = 'unknown_channel' | 'missing_permission' | 'refused';
type Channels = { readonly [Topic in LogTopic]?: string | null | undefined };

interface Props {
  guildId: string;
  logTopics: Channels;
  logTopicProblems: { readonly [Topic in LogTopic]?: Problem };
  channels: readonly ChannelChoice[];
}

const NONE: Channels = {};

/** The channels of the parts of the log that have one of their own. */
export function LogTopicsForm({ guildId, logTopics, logTopicProblems: problems, channels }: Props) {
  const [t, say] = [useTranslations('settings.topics'), useTranslations('settings')];
  const { call, busy, failure, forget, refreshing } = useCall();
  const [saved, keepSaved] = useSaved(logTopics, refreshing);
  const [draft, change, settle, discardDraft] = useKeptChanges(`log-topics:${guildId}`, saved, busy);
  const [unknown, setUnknown] = useState<Channels>(NONE);
  /** How often changes were discarded: a text that was left in a field goes with them. */
  const [discarded, setDiscarded] = useState(0);
  const chosen = { ...saved, ...draft };
  const isChanged = !isEmpty(draft);
  const wrongOf = (topic: LogTopic) => {
    const typed = unknown[topic] ?? null;
    if (typed === null) return null;
    return say(isElsewhere(typed, guildId) ? 'guild.channelElsewhere' : 'guild.channelNot');
  };
  const wrong = LOG_TOPICS.map(wrongOf).find((each) => each !== null) ?? null;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || !isChanged) return;
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, { log_topics: draft })) === null) return;
    keepSaved(draft);
    settle();
    toast({ text: say('saved') });
  };
  const discard = () => {
    discardDraft();
    setUnknown(NONE);
    setDiscarded(discarded + 1);
    forget();
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 p-4">
      {LOG_TOPICS.map((topic) => {
        const problem = problems[topic];
        return problem === undefined ? null : (
          <Callout key={topic} tone="warn" title={`${t(`label.${topic}`)}: ${t('problem')}`}>
            {say(`guild.problem.${problem}`)}
          </Callout>
        );
      })}
      <p className="text-ink-soft">{t('lead')}</p>
      <div className="grid gap-4 md:grid-cols-2">
        {LOG_TOPICS.map((topic) => (
          <ChannelSetting
            key={`${topic} ${discarded}`}
            id={`log-topic-${topic}`}
            guildId={guildId}
            channels={channels}
            label={t(`label.${topic}`)}
            none={t('none')}
            hint={undefined}
            error={wrongOf(topic) ?? failure?.issueOf(`log_topics.${topic}`)}
            value={chosen[topic] ?? null}
            onChange={(id) => change({ [topic]: id })}
            onUnknown={(typed) => setUnknown({ ...unknown, [topic]: typed })}
          />
        ))}
      </div>
      <SaveBar
        isChanged={isChanged || wrong !== null}
        busy={busy}
        failure={failure}
        wrong={wrong}
        onDiscard={discard}
      />
    </form>
  );
}
