import { CAPABILITIES, WITHOUT_PERMISSION } from '@bailiff/core';
import { listGrants, type RoleGrantView } from '@bailiff/engine/guilds/guilds';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { CommandGaps } from '#components/settings/command-gaps.tsx';
import { GrantsForm } from '#components/settings/grants-form.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { Callout, Section } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { PLACES } from '#src/settings-sections.ts';

export const generateMetadata = () => sectionTitle('roles');

export default kept(RoleSettings);

async function RoleSettings({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const [t, errors, say, roles] = await Promise.all([
    messagesFor('settings'),
    messagesFor('errors'),
    messagesFor('capabilities'),
    listGrants(runtime().db, guild.id),
  ]);
  const problemOf = ({ roleId, managed, isAboveBot }: RoleGrantView) => {
    if (roleId === guild.id) return t('roles.problem.everyone');
    if (managed) return t('roles.problem.managed');
    return isAboveBot ? t('roles.problem.aboveBot') : null;
  };
  const confirmed = guild.grantsConfirmedAt !== null;
  return (
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
      <div id={PLACES.roles}>
        <GrantsForm
          guildId={guild.id}
          confirmed={confirmed}
          capabilities={CAPABILITIES}
          roles={roles.map((role) => ({
            id: role.roleId,
            name: role.roleId === guild.id ? '@everyone' : role.name,
            color: role.color,
            holds:
              role.permissions.length === 0
                ? null
                : role.permissions.map((name) => errors(`permissions.${name}`)).join(', '),
            problem: problemOf(role),
            granted: confirmed ? role.capabilities : role.proposed,
            isStored: role.capabilities.length > 0,
            proposed: role.proposed,
          }))}
        />
      </div>
      {confirmed ? (
        <CommandGaps
          roles={roles
            .filter(({ managed, roleId }) => !managed && roleId !== guild.id)
            .map(({ roleId, name, commands }) => ({ id: roleId, name, commands }))}
        />
      ) : null}
    </Section>
  );
}
