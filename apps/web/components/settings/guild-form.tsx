'use client';

import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { Switch } from '#components/ui/switch.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { type ChannelChoice, ChannelField, channelText, isElsewhere } from './channel-field.tsx';
import { TestChannel } from './test-channel.tsx';

type LogChannelProblem = 'unknown_channel' | 'missing_permission' | 'refused';

interface Props {
  guildId: string;
  language: string;
  languages: Readonly<Record<string, string>>;
  notifiesTargets: boolean;
  logChannelId: string | null;
  logChannelProblem: LogChannelProblem | null;
  channels: readonly ChannelChoice[];
  /** A sentence about channels that are not in the list; null if all are. */
  hiddenChannels: string | null;
}

/** The settings of a guild: its language, whether members get messages, and the log channel. */
export function GuildForm({ guildId, languages, channels, hiddenChannels, ...saved }: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure } = useCall();
  const [language, setLanguage] = useState(saved.language);
  const [notifies, setNotifies] = useState(saved.notifiesTargets);
  const [channelId, setChannelId] = useState(saved.logChannelId);
  const [unknown, setUnknown] = useState<string | null>(null);
  const isChanged =
    language !== saved.language ||
    notifies !== saved.notifiesTargets ||
    channelId !== saved.logChannelId ||
    unknown !== null;
  const chosen = channels.find(({ id }) => id === channelId);

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (unknown !== null) return;
    const changes = {
      ...(language === saved.language ? {} : { language }),
      ...(notifies === saved.notifiesTargets ? {} : { notifies_targets: notifies }),
      ...(channelId === saved.logChannelId ? {} : { log_channel_id: channelId }),
    };
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, changes)) === null) return;
    toast({ text: t('saved') });
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 p-4">
      {saved.logChannelProblem === null ? null : (
        <Callout tone="warn" title={t('guild.problemTitle')}>
          {t(`guild.problem.${saved.logChannelProblem}`)}
        </Callout>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <div className="grid content-start gap-2">
          <ChannelField
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
            error={
              unknown === null
                ? failure?.issueOf('log_channel_id')
                : t(isElsewhere(unknown, guildId) ? 'guild.channelElsewhere' : 'guild.channelNot')
            }
            value={channelId}
            onChange={setChannelId}
            onUnknown={setUnknown}
          />
          {chosen == null || chosen.lacks === null ? null : (
            <p className="text-warn">{t('guild.channelLacks', { permissions: chosen.lacks })}</p>
          )}
          {channelId === null ? null : (
            <TestChannel
              key={channelId}
              guildId={guildId}
              channel={{
                id: channelId,
                text: chosen ? channelText(chosen) : t('guild.channelById', { id: channelId }),
              }}
            />
          )}
        </div>
        <SelectField
          label={t('guild.language')}
          hint={t('guild.languageHint')}
          value={language}
          onChange={({ target }) => setLanguage(target.value)}
        >
          {Object.entries(languages).map(([locale, name]) => (
            <option key={locale} value={locale} lang={locale}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <div>
        <Switch
          label={t('guild.notify')}
          hint={t('guild.notifyHint')}
          checked={notifies}
          onChange={setNotifies}
        />
      </div>
      <FormActions
        submit={t('guild.save')}
        busy={busy}
        failure={failure}
        disabledBecause={isChanged ? null : t('nothingChanged')}
      />
    </form>
  );
}
