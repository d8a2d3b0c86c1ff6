'use client';

import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { Switch } from '#components/ui/switch.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { useKeptDraft } from '#components/use-kept-draft.ts';
import { PLACES } from '#src/settings-sections.ts';
import { type ChannelChoice, ChannelField, channelText, isElsewhere } from './channel-field.tsx';
import { SaveBar } from './save-bar.tsx';
import { TestChannel } from './test-channel.tsx';

type LogChannelProblem = 'unknown_channel' | 'missing_permission' | 'refused';

interface Settings {
  readonly language: string;
  readonly notifiesTargets: boolean;
  readonly hidesFirstSteps: boolean;
  readonly logChannelId: string | null;
}

interface Props extends Settings {
  guildId: string;
  languages: Readonly<Record<string, string>>;
  logChannelProblem: LogChannelProblem | null;
  channels: readonly ChannelChoice[];
  /** A sentence about channels that are not in the list; null if all are. */
  hiddenChannels: string | null;
}

const NO_CHANGES: Partial<Settings> = {};

/** The settings of a guild: its language, whether members get messages, the log channel, and the first steps. */
export function GuildForm({ guildId, languages, channels, hiddenChannels, ...saved }: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget } = useCall();
  const [draft, setDraft] = useKeptDraft<Partial<Settings>>(`settings:${guildId}`, NO_CHANGES);
  const [unknown, setUnknown] = useState<string | null>(null);
  /** How often changes were discarded: a text that was left in a field goes with them. */
  const [discarded, setDiscarded] = useState(0);
  const { language, notifiesTargets, hidesFirstSteps, logChannelId }: Settings = { ...saved, ...draft };
  const isChanged =
    language !== saved.language ||
    notifiesTargets !== saved.notifiesTargets ||
    hidesFirstSteps !== saved.hidesFirstSteps ||
    logChannelId !== saved.logChannelId;
  const change = (changes: Partial<Settings>) => setDraft({ ...draft, ...changes });
  const wrong =
    unknown === null
      ? null
      : t(isElsewhere(unknown, guildId) ? 'guild.channelElsewhere' : 'guild.channelNot');
  const chosen = channels.find(({ id }) => id === logChannelId);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || !isChanged) return;
    const changes = {
      ...(language === saved.language ? {} : { language }),
      ...(notifiesTargets === saved.notifiesTargets ? {} : { notifies_targets: notifiesTargets }),
      ...(hidesFirstSteps === saved.hidesFirstSteps ? {} : { hides_first_steps: hidesFirstSteps }),
      ...(logChannelId === saved.logChannelId ? {} : { log_channel_id: logChannelId }),
    };
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, changes)) === null) return;
    setDraft(NO_CHANGES);
    toast({ text: t('saved') });
  };
  const discard = () => {
    setDraft(NO_CHANGES);
    setUnknown(null);
    setDiscarded(discarded + 1);
    forget();
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 p-4">
      {saved.logChannelProblem === null ? null : (
        <Callout tone="warn" title={t('guild.problemTitle')}>
          {t(`guild.problem.${saved.logChannelProblem}`)}
        </Callout>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <div id={PLACES.logChannel} className="grid content-start gap-2">
          <ChannelField
            key={discarded}
            guildId={guildId}
            channels={channels}
            label={t('guild.channel')}
            placeholder={t('guild.channelNone')}
            clear={t('guild.channelNone')}
            hint={
              <>
                {t('guild.channelHint')} {hiddenChannels}
              </>
            }
            error={wrong ?? failure?.issueOf('log_channel_id')}
            value={logChannelId}
            onChange={(id) => change({ logChannelId: id })}
            onUnknown={setUnknown}
          />
          {chosen == null || chosen.lacks === null ? null : (
            <p className="text-warn">{t('guild.channelLacks', { permissions: chosen.lacks })}</p>
          )}
          {logChannelId === null ? null : (
            <TestChannel
              key={logChannelId}
              guildId={guildId}
              channel={{
                id: logChannelId,
                text: chosen ? channelText(chosen) : t('guild.channelById', { id: logChannelId }),
              }}
            />
          )}
        </div>
        <div id={PLACES.language}>
          <SelectField
            label={t('guild.language')}
            hint={t('guild.languageHint')}
            value={language}
            onChange={({ target }) => change({ language: target.value })}
          >
            {Object.entries(languages).map(([locale, name]) => (
              <option key={locale} value={locale} lang={locale}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      <div id={PLACES.notices}>
        <Switch
          label={t('guild.notify')}
          hint={t('guild.notifyHint')}
          checked={notifiesTargets}
          onChange={(checked) => change({ notifiesTargets: checked })}
        />
      </div>
      <div id={PLACES.firstSteps}>
        <Switch
          label={t('guild.firstSteps')}
          hint={t('guild.firstStepsHint')}
          checked={!hidesFirstSteps}
          onChange={(checked) => change({ hidesFirstSteps: !checked })}
        />
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
