'use client';

import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { Switch } from '#components/ui/switch.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { isEmpty, useKeptChanges } from '#components/use-kept-draft.ts';
import { PLACES } from '#src/settings-sections.ts';
import { type ChannelChoice, isElsewhere } from './channel-field.tsx';
import { ChannelSetting } from './channel-setting.tsx';
import { SaveBar } from './save-bar.tsx';
import { useSaved } from './use-saved.ts';

type LogChannelProblem = 'unknown_channel' | 'missing_permission' | 'refused';

interface Settings {
  readonly language: string;
  readonly notifiesTargets: boolean;
  readonly alertsJoins: boolean;
  readonly alertsQuietDays: number | null;
  readonly hidesFirstSteps: boolean;
  readonly logChannelId: string | null;
  readonly reportsChannelId: string | null;
}

interface Props extends Settings {
  guildId: string;
  languages: Readonly<Record<string, string>>;
  logChannelProblem: LogChannelProblem | null;
  channels: readonly ChannelChoice[];
  /** A sentence about channels that are not in the list; null if all are. */
  hiddenChannels: string | null;
}

/** Lengths of silence to choose from. Over the API it can be any number of days up to 90. */
const QUIET_DAYS = [3, 7, 14, 30, 60, 90];

/** The settings of a guild: its language, whether members get messages, its channels, and the first steps. */
export function GuildForm({
  guildId,
  languages,
  channels,
  hiddenChannels,
  logChannelProblem,
  ...rendered
}: Props) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [saved, keepSaved] = useSaved<Settings>(rendered, refreshing);
  const [draft, change, settle, discardDraft] = useKeptChanges(`settings:${guildId}`, saved, busy);
  const [unknownLog, setUnknownLog] = useState<string | null>(null);
  const [unknownReports, setUnknownReports] = useState<string | null>(null);
  /** How often changes were discarded: a text that was left in a field goes with them. */
  const [discarded, setDiscarded] = useState(0);
  const {
    language,
    notifiesTargets,
    alertsJoins,
    alertsQuietDays,
    hidesFirstSteps,
    logChannelId,
    reportsChannelId,
  }: Settings = { ...saved, ...draft };
  const isChanged = !isEmpty(draft);
  const problemOf = (unknown: string | null) =>
    unknown === null
      ? null
      : t(isElsewhere(unknown, guildId) ? 'guild.channelElsewhere' : 'guild.channelNot');
  const [wrongLog, wrongReports] = [problemOf(unknownLog), problemOf(unknownReports)];
  const wrong = wrongLog ?? wrongReports;
  const posting = { guildId, channels };

  const save = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong !== null || !isChanged) return;
    const changes = {
      ...(draft.language === undefined ? {} : { language }),
      ...(draft.notifiesTargets === undefined ? {} : { notifies_targets: notifiesTargets }),
      ...(draft.alertsJoins === undefined ? {} : { alerts_joins: alertsJoins }),
      ...(draft.alertsQuietDays === undefined ? {} : { alerts_quiet_days: alertsQuietDays }),
      ...(draft.hidesFirstSteps === undefined ? {} : { hides_first_steps: hidesFirstSteps }),
      ...(draft.logChannelId === undefined ? {} : { log_channel_id: logChannelId }),
      ...(draft.reportsChannelId === undefined ? {} : { reports_channel_id: reportsChannelId }),
    };
    if ((await call('PATCH', `/api/guilds/${guildId}/settings`, changes)) === null) return;
    keepSaved(draft);
    settle();
    toast({ text: t('saved') });
  };
  const discard = () => {
    discardDraft();
    setUnknownLog(null);
    setUnknownReports(null);
    setDiscarded(discarded + 1);
    forget();
  };
  return (
    <form onSubmit={(event) => void save(event)} className="grid gap-4 p-4">
      {logChannelProblem === null ? null : (
        <Callout tone="warn" title={t('guild.problemTitle')}>
          {t(`guild.problem.${logChannelProblem}`)}
        </Callout>
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <ChannelSetting
          {...posting}
          key={`log ${discarded}`}
          id={PLACES.logChannel}
          label={t('guild.channel')}
          none={t('guild.channelNone')}
          hint={
            <>
              {t('guild.channelHint')} {hiddenChannels}
            </>
          }
          error={wrongLog ?? failure?.issueOf('log_channel_id')}
          value={logChannelId}
          onChange={(id) => change({ logChannelId: id })}
          onUnknown={setUnknownLog}
        />
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
        <ChannelSetting
          {...posting}
          key={`reports ${discarded}`}
          id={PLACES.reportsChannel}
          label={t('guild.reports')}
          none={t('guild.reportsNone')}
          hint={t('guild.reportsHint')}
          error={wrongReports ?? failure?.issueOf('reports_channel_id')}
          value={reportsChannelId}
          onChange={(id) => change({ reportsChannelId: id })}
          onUnknown={setUnknownReports}
        />
      </div>
      <div id={PLACES.notices}>
        <Switch
          label={t('guild.notify')}
          hint={t('guild.notifyHint')}
          checked={notifiesTargets}
          onChange={(checked) => change({ notifiesTargets: checked })}
        />
      </div>
      <div id={PLACES.joins}>
        <Switch
          label={t('guild.joins')}
          hint={t('guild.joinsHint')}
          checked={alertsJoins}
          onChange={(checked) => change({ alertsJoins: checked })}
        />
      </div>
      <div id={PLACES.firstWords} className="md:max-w-1/2">
        <SelectField
          label={t('guild.firstWords')}
          hint={t('guild.firstWordsHint')}
          value={alertsQuietDays ?? ''}
          onChange={({ target: { value } }) =>
            change({ alertsQuietDays: value === '' ? null : Number(value) })
          }
        >
          <option value="">{t('guild.firstWordsNever')}</option>
          {[...new Set([...QUIET_DAYS, ...(alertsQuietDays === null ? [] : [alertsQuietDays])])]
            .sort((a, b) => a - b)
            .map((days) => (
              <option key={days} value={days}>
                {t('guild.firstWordsDays', { days })}
              </option>
            ))}
        </SelectField>
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
