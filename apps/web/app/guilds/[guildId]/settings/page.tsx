import { CAPABILITIES, MOST_ESCALATION_STEPS, WITHOUT_PERMISSION } from '@bailiff/core';
import { escalationPolicy, escalationWire } from '@bailiff/engine/cases/escalation';
import { listPresets, MOST_PRESETS_PER_GUILD, presetWire } from '@bailiff/engine/cases/presets';
import { postingChannels } from '@bailiff/engine/guilds/channel-choices';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { type GuildView, listGrants } from '@bailiff/engine/guilds/guilds';
import { LOCALE_NAMES } from '@bailiff/messages';
import type { Metadata } from 'next';
import { DeveloperModeSwitch } from '#components/developer-mode-switch.tsx';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { CommandGaps } from '#components/settings/command-gaps.tsx';
import { EscalationForm } from '#components/settings/escalation-form.tsx';
import { GrantsForm } from '#components/settings/grants-form.tsx';
import { GuildForm } from '#components/settings/guild-form.tsx';
import { PresetTable } from '#components/settings/preset-table.tsx';
import { Callout, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { isDeveloperMode, PREFERENCES, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = (): Promise<Metadata> => pageTitle((t) => t('settings'));

export default async function SettingsPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  const [t, shell] = await Promise.all([messagesFor('settings'), messagesFor('shell')]);
  return (
    <>
      <PageHeader title={shell('settings')}>
        {t(guild.isOwner ? 'lead' : 'ownerElsewhere', { guild: guild.name })}
      </PageHeader>
      {guild.isOwner ? (
        <Messages namespaces={['settings', 'operations', 'capabilities']}>
          <OwnersSettings guild={guild} />
        </Messages>
      ) : null}
      {guild.isOwner ? <Live guildId={guild.id} kinds={['channel']} /> : null}
      <Section title={t('tier.title')}>
        <Panel className="px-4 py-3.5">
          <p>
            {guild.tier === 'free'
              ? t.rich('tier.free', { b: strong })
              : t.rich('tier.paid', { b: strong, tier: guild.tier })}
          </p>
          <p className="text-ink-soft mt-1">{t('tier.change')}</p>
        </Panel>
      </Section>
      <Section title={t('browser')}>
        <Panel className="px-4 py-3.5">
          <DeveloperModeSwitch name={PREFERENCES.developerMode} on={await isDeveloperMode()} />
        </Panel>
      </Section>
    </>
  );
}

const strong = (words: React.ReactNode) => <strong>{words}</strong>;

async function OwnersSettings({ guild }: { guild: GuildView }) {
  const { db } = runtime();
  const [t, say, errors, roles, settings, posting, presets, policy] = await Promise.all([
    messagesFor('settings'),
    messagesFor('capabilities'),
    messagesFor('errors'),
    listGrants(db, guild.id),
    guildSettings(db, guild.id),
    postingChannels(db, guild.id),
    listPresets(db, guild.id),
    escalationPolicy(db, guild.id),
  ]);
  const confirmed = guild.grantsConfirmedAt !== null;
  return (
    <>
      <Section
        title={t('roles.title')}
        lead={
          <>
            {t('roles.lead')} <GuideLink topic="grants" />
          </>
        }
      >
        {confirmed ? null : (
          <div className="mb-3">
            <Callout tone="warn" title={t('roles.notInForce')}>
              {t('roles.notInForceLead')}
            </Callout>
          </div>
        )}
        <p className="text-ink-soft mb-3 max-w-prose">
          {t('roles.withoutPermission', {
            names: WITHOUT_PERMISSION.map((capability) => say(`names.${capability}`)).join(', '),
          })}
        </p>
        <Panel>
          <GrantsForm
            guildId={guild.id}
            confirmed={confirmed}
            capabilities={CAPABILITIES}
            roles={roles
              .filter(({ managed }) => !managed)
              .map((role) => ({
                id: role.roleId,
                name: role.roleId === guild.id ? '@everyone' : role.name,
                color: role.color,
                granted: confirmed ? role.capabilities : role.proposed,
                proposed: role.proposed,
              }))}
          />
        </Panel>
        {confirmed ? (
          <CommandGaps
            roles={roles
              .filter(({ managed, roleId }) => !managed && roleId !== guild.id)
              .map(({ roleId, name, commands }) => ({ id: roleId, name, commands }))}
          />
        ) : null}
      </Section>
      <Section title={t('guild.title')} lead={<GuideLink topic="logChannel" />}>
        <Panel>
          <GuildForm
            guildId={guild.id}
            languages={LOCALE_NAMES}
            channels={posting.channels.map(({ lacking, ...channel }) => ({
              ...channel,
              lacks:
                lacking.length === 0 ? null : lacking.map((name) => errors(`permissions.${name}`)).join(', '),
            }))}
            hiddenChannels={
              posting.hidden === 0
                ? null
                : t('guild.channelHidden', {
                    count: posting.hidden,
                    permission: errors('permissions.ViewChannel'),
                  })
            }
            {...settings}
          />
        </Panel>
      </Section>
      <Section
        title={t('presets.title')}
        lead={
          <>
            {t('presets.lead')} <GuideLink topic="reasons" />
          </>
        }
      >
        <PresetTable guildId={guild.id} presets={presets.map(presetWire)} most={MOST_PRESETS_PER_GUILD} />
      </Section>
      <Section
        title={t('escalation.title')}
        lead={
          <>
            {t('escalation.lead')} <GuideLink topic="escalation" />
          </>
        }
      >
        <Panel>
          <EscalationForm
            guildId={guild.id}
            policy={escalationWire(policy)}
            mostSteps={MOST_ESCALATION_STEPS}
          />
        </Panel>
      </Section>
    </>
  );
}
