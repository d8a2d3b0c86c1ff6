'use client';

import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { SelectField, TextField } from '#components/ui/field.tsx';
import { FormActions } from '#components/ui/form-actions.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { Switch } from '#components/ui/switch.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';

type LogChannelProblem = 'unknown_channel' | 'missing_permission' | 'refused';

interface Props {
  guildId: string;
  language: string;
  languages: Readonly<Record<string, string>>;
  notifiesTargets: boolean;
  logChannelId: string | null;
  logChannelProblem: LogChannelProblem | null;
}

/** The settings of a guild: its language, whether members get messages, and the log channel. */
export function GuildForm({ guildId, languages, ...saved }: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure } = useCall();
  const [language, setLanguage] = useState(saved.language);
  const [notifies, setNotifies] = useState(saved.notifiesTargets);
  const [channel, setChannel] = useState(saved.logChannelId ?? '');
  const [wrong, setWrong] = useState<string | null>(null);
  const read = readChannel(channel, guildId);
  const isChanged =
    language !== saved.language || notifies !== saved.notifiesTargets || read !== saved.logChannelId;

  const save = async (event: FormEvent) => {
    event.preventDefault();
    setWrong(typeof read === 'object' && read !== null ? t(`guild.${read.wrong}`) : null);
    if (typeof read === 'object' && read !== null) return;
    const changes = {
      ...(language === saved.language ? {} : { language }),
      ...(notifies === saved.notifiesTargets ? {} : { notifies_targets: notifies }),
      ...(read === saved.logChannelId ? {} : { log_channel_id: read }),
    };
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, changes)) === null) return;
    setChannel(read ?? '');
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
        <TextField
          label={t('guild.channel')}
          hint={
            <>
              {t('guild.channelHint')}{' '}
              {saved.logChannelId === null ? null : (
                <a
                  href={`https://discord.com/channels/${guildId}/${saved.logChannelId}`}
                  className="text-accent underline"
                >
                  {t('guild.channelNow', { channel: saved.logChannelId })}
                </a>
              )}
            </>
          }
          error={wrong ?? failure?.issueOf('log_channel_id')}
          value={channel}
          onChange={({ target }) => setChannel(target.value)}
          autoComplete="off"
          spellCheck={false}
        />
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

/** The id of a channel from its link, its mention or its id. */
function readChannel(
  text: string,
  guildId: string,
): string | null | { wrong: 'channelNot' | 'channelElsewhere' } {
  const typed = text.trim();
  if (typed === '') return null;
  const [, guild, linked] = /\/channels\/(\d{17,20})\/(\d{17,20})\/?$/.exec(typed) ?? [];
  if (linked !== undefined) return guild === guildId ? linked : { wrong: 'channelElsewhere' };
  return /^(?:<#)?(\d{17,20})>?$/.exec(typed)?.[1] ?? { wrong: 'channelNot' };
}
