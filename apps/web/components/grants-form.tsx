'use client';

import { useState } from 'react';
import { Button } from './ui/button.tsx';
import { Cell, HeaderCell, Table } from './ui/table.tsx';
import { useCall } from './use-call.ts';

interface Role {
  id: string;
  name: string;
  color: number;
  granted: readonly string[];
}

/** Roles against capabilities. Sends what changed, or everything when the owner confirms for the first time. */
export function GrantsForm({
  guildId,
  roles,
  capabilities,
  confirmed,
}: {
  guildId: string;
  roles: readonly Role[];
  capabilities: readonly string[];
  confirmed: boolean;
}) {
  const { call, busy, failure } = useCall();
  const [changes, setChanges] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [saved, setSaved] = useState(false);
  const chosen = (role: Role) => changes[role.id] ?? role.granted;
  const changed = roles.filter((role) => !sameSet(chosen(role), role.granted));

  const toggle = (role: Role, capability: string) => {
    const now = chosen(role);
    const next = now.includes(capability) ? now.filter((name) => name !== capability) : [...now, capability];
    setSaved(false);
    setChanges({ ...changes, [role.id]: next });
  };
  const save = async () => {
    const sent = confirmed ? changed : roles;
    const grants = sent.map((role) => ({ role_id: role.id, capabilities: chosen(role) }));
    if ((await call('PUT', `/api/guilds/${guildId}/grants`, { grants })) !== null) setSaved(true);
  };

  return (
    <>
      <Table caption="Capabilities of each role">
        <thead>
          <tr>
            <HeaderCell rowSpan={2} className="bg-surface sticky left-0 z-10 align-bottom">
              Role
            </HeaderCell>
            {groupsOf(capabilities).map(({ group, actions }) => (
              <th
                key={group}
                scope="colgroup"
                colSpan={actions.length}
                className="px-2 pt-2 text-center text-xs font-medium"
              >
                {group}
              </th>
            ))}
          </tr>
          <tr>
            {capabilities.map((capability) => (
              <HeaderCell key={capability} className="border-line px-2 pt-0 text-center">
                {capability.split('.')[1]}
              </HeaderCell>
            ))}
          </tr>
        </thead>
        <tbody>
          {roles.map((role) => (
            <tr key={role.id}>
              <th
                scope="row"
                className="border-line bg-surface sticky left-0 z-10 max-w-36 truncate border-b px-3 py-2 text-left font-medium [tr:last-child>&]:border-b-0"
              >
                <span
                  aria-hidden
                  className="bg-line-strong mr-2 inline-block size-2.5 rounded-full"
                  style={
                    role.color === 0
                      ? undefined
                      : { backgroundColor: `#${role.color.toString(16).padStart(6, '0')}` }
                  }
                />
                {role.name}
              </th>
              {capabilities.map((capability) => (
                <Cell key={capability} className="px-2 text-center">
                  <input
                    type="checkbox"
                    aria-label={`${role.name}: ${capability}`}
                    className="accent-accent-solid size-4.5"
                    checked={chosen(role).includes(capability)}
                    disabled={busy}
                    onChange={() => toggle(role, capability)}
                  />
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
      <div className="border-line flex flex-wrap items-center gap-3 border-t px-3.5 py-3">
        <Button
          look="primary"
          disabled={busy || (confirmed && changed.length === 0)}
          title={confirmed && changed.length === 0 ? 'Nothing is changed' : undefined}
          onClick={() => void save()}
        >
          {confirmed ? 'Save changes' : 'Confirm these grants'}
        </Button>
        <p aria-live="polite" className={failure === null ? 'text-ink-soft' : 'text-danger'}>
          {failure?.message ??
            (changed.length > 0
              ? `${changed.length} ${changed.length === 1 ? 'role' : 'roles'} changed, not saved yet`
              : saved
                ? 'Saved. It is in force from the next call on.'
                : '')}
        </p>
      </div>
    </>
  );
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name));
}

/** `strikes` with `read` and `write`, and so on, in the order given. */
function groupsOf(capabilities: readonly string[]): { group: string; actions: string[] }[] {
  const groups = new Map<string, string[]>();
  for (const capability of capabilities) {
    const [group = '', action = ''] = capability.split('.');
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  return [...groups].map(([group, actions]) => ({ group, actions }));
}
