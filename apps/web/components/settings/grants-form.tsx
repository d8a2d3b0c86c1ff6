'use client';

import type { Capability } from '@bailiff/core';
import { clsx } from 'clsx';
import { type FormEvent, Fragment, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { byArea } from '#components/capabilities.ts';
import { CapabilityName } from '#components/capability-name.tsx';
import { Button } from '#components/ui/button.tsx';
import { ColorDot } from '#components/ui/color-dot.tsx';
import { plain } from '#components/ui/combobox-options.ts';
import { Failure } from '#components/ui/failure.tsx';
import { CONTROL } from '#components/ui/field.tsx';
import { Panel } from '#components/ui/panel.tsx';
import { toast } from '#components/ui/toast.tsx';
import { useCall } from '#components/use-call.ts';
import { useKeptChanges } from '#components/use-kept-draft.ts';
import { type RoleChoice, RoleField } from './role-field.tsx';
import { SaveBar } from './save-bar.tsx';
import { useSaved } from './use-saved.ts';

interface Role extends RoleChoice {
  granted: readonly string[];
  /** Whether it has grants already, which may not be in force yet. */
  isStored: boolean;
  /** The capabilities that the role's Discord permissions suggest. */
  proposed: readonly string[];
}

/** The capabilities that roles have, by the role's id. */
type Grants = Readonly<Record<string, readonly string[]>>;
const NOTHING_SAVED: Grants = {};
/** The marked capabilities of all roles; null where a mark was taken away. Others of a role may change elsewhere. */
type Marks = Readonly<Record<string, true | null>>;
/** With so many roles in the table one looks for some of them. */
const SEARCHED_FROM = 10;
/** More rows would make each mark slow. */
const MOST_ROWS = 60;

/**
 * A table of capabilities and the roles that matter: those with grants, and those that moderate in Discord. Others are
 * added by name. On a narrow screen there is a card for each role. Sends what changed, or everything if the owner
 * confirms for the first time.
 */
export function GrantsForm({
  guildId,
  roles: rendered,
  capabilities,
  confirmed,
}: {
  guildId: string;
  roles: readonly Role[];
  capabilities: readonly Capability[];
  confirmed: boolean;
}) {
  const t = useTranslations('settings');
  const { call, busy, failure, forget, refreshing } = useCall();
  const [saved, keepSaved] = useSaved<Grants>(NOTHING_SAVED, refreshing);
  const roles = rendered.map((role) => ({ ...role, granted: saved[role.id] ?? role.granted }));
  const marks: Marks = Object.fromEntries(
    roles.flatMap((role) => role.granted.map((each) => [markOf(role, each), true])),
  );
  const [changes, change, settle, discard] = useKeptChanges<Marks>(`marks:${guildId}`, marks, busy);
  const [wanted, setWanted] = useState('');
  const table = useRef<HTMLTableElement>(null);
  /** The roles that were added by name. The first mark of the last one gets the focus. */
  const [added, setAdded] = useState<readonly string[]>([]);
  const chosen = (role: Role) => [
    ...role.granted.filter((each) => changes[markOf(role, each)] !== null),
    ...capabilities.filter((each) => changes[markOf(role, each)] === true),
  ];
  const changed = roles.filter((role) =>
    capabilities.some((each) => changes[markOf(role, each)] !== undefined),
  );

  const toggle = (role: Role, capability: string) =>
    change({ [markOf(role, capability)]: chosen(role).includes(capability) ? null : true });
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const sent = confirmed
      ? changed
      : roles.filter((role) => role.isStored || chosen(role).length > 0 || changed.includes(role));
    const grants = sent.map((role) => ({ role_id: role.id, capabilities: chosen(role) }));
    if ((await call('PUT', `/api/guilds/${guildId}/grants`, { grants })) === null) return;
    keepSaved(Object.fromEntries(sent.map((role) => [role.id, chosen(role)])));
    settle();
    toast({ text: t('saved') });
  };
  const isListed = (role: Role) =>
    role.granted.length > 0 || role.proposed.length > 0 || changed.includes(role) || added.includes(role.id);
  const listed = roles.filter(isListed);
  const propose = () =>
    change(
      Object.fromEntries(
        listed.flatMap((role) =>
          capabilities.map((each) => [markOf(role, each), role.proposed.includes(each) ? true : null]),
        ),
      ),
    );
  const found = listed.filter(({ name }) => plain(name).includes(plain(wanted)));
  const shown = found.slice(0, MOST_ROWS);
  const add = (id: string) => {
    const role = roles.find((each) => each.id === id);
    if (role === undefined) return;
    setWanted(listed.length < MOST_ROWS ? '' : role.name);
    setAdded([...added, id]);
  };
  useEffect(() => {
    const last = added.at(-1);
    if (last !== undefined) table.current?.querySelector<HTMLElement>(`[data-role="${last}"] input`)?.focus();
  }, [added]);

  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="flex flex-wrap gap-3">
        {listed.length < SEARCHED_FROM ? null : (
          <input
            type="search"
            aria-label={t('roles.search')}
            placeholder={t('roles.search')}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
            className={clsx(CONTROL, 'h-9 sm:max-w-72')}
          />
        )}
        {/* Not in the form, which Enter would submit. */}
        <div className="w-full sm:w-72">
          <RoleField roles={roles.filter((role) => !isListed(role))} label={t('roles.add')} onChoose={add} />
        </div>
      </div>
      <form onSubmit={(event) => void save(event)} className="grid grid-cols-[minmax(0,1fr)] gap-3">
        <Panel>
          <section
            aria-label={t('roles.caption')}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
            tabIndex={0}
            // The names of the roles stay in view, and lie over nothing that has the focus.
            className="relative overflow-x-auto lg:scroll-pl-60"
          >
            <table
              ref={table}
              className="w-full border-collapse text-left max-lg:block"
              onKeyDown={moveByArrow}
            >
              <caption className="sr-only">{t('roles.caption')}</caption>
              <Head capabilities={capabilities} role={t('roles.role')} />
              <tbody className="max-lg:block">
                {shown.map((role, row) => (
                  <tr
                    key={role.id}
                    data-role={role.id}
                    className="border-line border-b last:border-b-0 max-lg:grid max-lg:grid-cols-2 max-lg:gap-x-3 max-lg:px-3.5 max-lg:py-3 sm:max-lg:grid-cols-3"
                  >
                    <RoleName role={role} />
                    {capabilities.map((capability, column) => (
                      <td key={capability} className="lg:px-1 lg:py-1 lg:text-center">
                        <label className="flex min-h-8 items-center gap-2 lg:justify-center">
                          <input
                            type="checkbox"
                            aria-label={`${role.name}: ${capability}`}
                            data-at={`${row} ${column}`}
                            className="accent-accent-solid size-4.5 shrink-0"
                            checked={chosen(role).includes(capability)}
                            disabled={busy}
                            onChange={() => toggle(role, capability)}
                          />
                          <span aria-hidden className="text-xs lg:hidden">
                            <CapabilityName name={capability} />
                          </span>
                        </label>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {shown.length === 0 ? (
            <p className="text-ink-soft px-3.5 py-3">
              {t(listed.length === 0 ? 'roles.none' : 'roles.noneFound')}
            </p>
          ) : null}
          {found.length === shown.length ? null : (
            <p className="text-ink-soft px-3.5 py-3">
              {t('roles.more', { count: found.length - shown.length })}
            </p>
          )}
          <div className="border-line flex flex-wrap items-center gap-x-3 gap-y-2 border-t px-3.5 py-3">
            {confirmed || changed.length > 0 ? null : (
              <>
                <Button type="submit" variant="primary" disabled={busy}>
                  {t('roles.confirm')}
                </Button>
                <Failure failure={failure} />
              </>
            )}
            <Button variant="quiet" disabled={busy} onClick={propose}>
              {t('roles.propose')}
            </Button>
            <p className="text-ink-soft ml-auto text-xs max-lg:hidden">{t('roles.keys')}</p>
          </div>
        </Panel>
        <SaveBar
          isChanged={changed.length > 0}
          busy={busy}
          failure={failure}
          {...(confirmed ? {} : { save: t('roles.confirm') })}
          onDiscard={() => {
            discard();
            setAdded([]);
            forget();
          }}
        />
      </form>
    </div>
  );
}

function Head({ capabilities, role }: { capabilities: readonly Capability[]; role: string }) {
  const say = useTranslations('capabilities');
  return (
    <thead className="max-lg:sr-only">
      <tr>
        <th
          scope="col"
          rowSpan={2}
          className="text-ink-soft border-line bg-surface sticky left-0 z-10 border-b px-3 py-2 align-bottom text-xs font-medium"
        >
          {role}
        </th>
        {byArea(capabilities).map((group) => (
          <th
            key={group.area}
            scope="colgroup"
            colSpan={group.capabilities.length}
            className="px-2 pt-2 text-center text-xs font-medium"
          >
            {say(`areas.${group.area}`)}
          </th>
        ))}
      </tr>
      <tr>
        {capabilities.map((capability) => (
          <th
            key={capability}
            scope="col"
            className="text-ink-soft border-line border-b px-1 pb-2 text-center align-bottom text-xs font-medium"
          >
            {say(`names.${capability}`)}
            <span className="block font-mono text-[0.65rem] font-normal">
              {capability.split('.').map((part, place) => (
                <Fragment key={part}>
                  {place === 0 ? null : (
                    <>
                      .<wbr />
                    </>
                  )}
                  {part}
                </Fragment>
              ))}
            </span>
          </th>
        ))}
      </tr>
    </thead>
  );
}

function RoleName({ role }: { role: Role }) {
  const t = useTranslations('settings.roles');
  return (
    <th
      scope="row"
      className="bg-surface left-0 z-10 font-medium max-lg:col-span-full max-lg:mb-1 lg:sticky lg:max-w-60 lg:min-w-44 lg:px-3 lg:py-1.5"
    >
      <span className="wrap-anywhere">
        <ColorDot color={role.color} />
        {role.name}
      </span>
      {role.holds === null ? null : (
        <span className="text-ink-soft block text-xs font-normal">
          {t('inDiscord', { permissions: role.holds })}
        </span>
      )}
      {role.problem === null ? null : (
        <span className="text-warn block text-xs font-normal">{role.problem}</span>
      )}
    </th>
  );
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Moves the focus to the next checkbox in the direction of the arrow key. */
function moveByArrow(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  if (step === undefined || !(event.target instanceof HTMLInputElement)) return;
  const [row = 0, column = 0] = (event.target.dataset.at ?? '').split(' ').map(Number);
  const next = event.currentTarget.querySelector<HTMLInputElement>(
    `[data-at="${row + step[0]} ${column + step[1]}"]`,
  );
  if (next === null) return;
  event.preventDefault();
  next.focus();
}

function markOf(role: Role, capability: string): string {
  return `${role.id} ${capability}`;
}
