import { readForPage } from '@bailiff/engine/calls/read-call';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { Messages } from '#components/messages.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { standingRole } from '#src/in-force.ts';
import { messagesFor } from '#src/messages.ts';
import { runtime } from '#src/runtime.ts';
import { InForceTable, Named, namesInForce } from './in-force-table.tsx';

const MOST_ROLES = 20;

/** The roles that a member has for a while, with buttons that end them; nothing if there are none. */
export async function RolesOfMember({
  guild,
  readerId,
  userId,
}: {
  guild: GuildView;
  readerId: string;
  userId: string;
}) {
  if (!guild.capabilities.includes('roles.write')) return null;
  const viewer = { ...guild, userId: readerId };
  const { data, next_cursor: next } = await readForPage(runtime().db, viewer, 'roles.list', {
    user_id: userId,
    limit: MOST_ROLES,
  });
  if (data.length === 0) return null;
  const t = await messagesFor('inForce');
  const { people, names } = await namesInForce(guild, {
    people: [userId, ...data.map(({ given_by }) => given_by)],
    things: data.map(({ role_id }) => role_id),
  });
  return (
    <Section
      title={t('roles')}
      actions={
        next === null ? undefined : (
          <LinkButton href={`/guilds/${guild.id}/in-force`}>{t('title')}</LinkButton>
        )
      }
    >
      <Panel>
        <Messages>
          <InForceTable
            caption={`${t('roles')}: ${names[userId] ?? userId}`}
            columns={[t('role')]}
            rows={data.map((role) => ({
              ...standingRole(t, names, role),
              cells: [<Named key="role" id={role.role_id} names={names} />],
            }))}
            people={people}
          />
        </Messages>
      </Panel>
    </Section>
  );
}
