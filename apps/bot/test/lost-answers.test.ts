import { verifies } from '@bailiff/core/testing';
import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { refusalOf, type Stage } from './harness.ts';

let stage: Stage;
guildForEachTest(async (next) => {
  stage = next;
  // What is counted here are the requests of actions, not those of notices to their targets.
  await next.test.database.pool.query('UPDATE guilds SET notifies_targets = false');
});

const guild = () => {
  const found = stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId);
  if (found === undefined) throw new Error('The sandbox has no such guild');
  return found;
};
const user = () => stage.people.troll ?? '';
const member = () => guild().members.find(({ user_id }) => user_id === user());
const role = () => guild().roles.find(({ name }) => name === 'Artist')?.id ?? '';
const channel = () => guild().channels.find(({ name }) => name === 'general');
const isLocked = () => channel()?.overwrites.some(({ id }) => id === stage.guildId) ?? false;
const minutesLeft = () =>
  Math.round((Date.parse(member()?.communication_disabled_until ?? '') - Date.now()) / 60_000);

interface Effect {
  /** What stands before it. */
  prepare?(): Promise<unknown>;
  act(): Promise<{ readonly status: number; readonly body: object }>;
  readonly method: 'PUT' | 'PATCH' | 'DELETE';
  readonly route: string;
  /** Whether Discord shows it. */
  isDone(): boolean;
  /** What the bot needs in Discord. */
  readonly permission: string;
  /** Discord's code where what it is about is gone. */
  readonly gone: number;
}

const giveRole = () =>
  stage.act('roles.give', 'owner', { user_id: user(), role_id: role(), duration_minutes: 1_440 });
const lock = () => stage.act('channels.lock', 'owner', { channel_id: channel()?.id });
const mute = () =>
  stage.act('mutes.add', 'owner', { user_id: user(), duration_minutes: 60, reason: 'Noise' });

const ROLE = { route: '/guilds/*/members/*/roles/*', permission: 'Manage Roles', gone: 10_007 } as const;
const LOCK = { route: '/channels/*/permissions/*', permission: 'Manage Roles', gone: 10_003 } as const;
const EFFECTS: Readonly<Record<string, Effect>> = {
  'a role for a time': {
    ...ROLE,
    method: 'PUT',
    act: giveRole,
    isDone: () => member()?.roles.includes('Artist') ?? false,
  },
  'the end of such a role': {
    ...ROLE,
    method: 'DELETE',
    prepare: giveRole,
    act: () => stage.act('roles.end', 'owner', { user_id: user(), role_id: role() }),
    isDone: () => !member()?.roles.includes('Artist'),
  },
  'a lock': { ...LOCK, method: 'PUT', act: lock, isDone: isLocked },
  'an unlocking': {
    ...LOCK,
    method: 'DELETE',
    prepare: lock,
    act: () => stage.act('channels.unlock', 'owner', { channelId: channel()?.id }),
    isDone: () => !isLocked(),
  },
  'a slowmode': {
    method: 'PATCH',
    route: '/channels/*',
    permission: 'Manage Channels',
    gone: 10_003,
    act: () =>
      stage.act('channels.slowmode', 'owner', {
        channel_id: channel()?.id,
        slowmode_seconds: 30,
        duration_minutes: 60,
      }),
    isDone: () => channel()?.slowmode === 30,
  },
  'a mute': {
    method: 'PATCH',
    route: '/guilds/*/members/*',
    permission: 'Moderate Members',
    gone: 10_007,
    act: mute,
    isDone: () => minutesLeft() > 50,
  },
  'the end of a mute': {
    method: 'PATCH',
    route: '/guilds/*/members/*',
    permission: 'Moderate Members',
    gone: 10_007,
    prepare: mute,
    act: () => stage.act('mutes.lift', 'owner', { userId: user() }),
    isDone: () => Number.isNaN(minutesLeft()),
  },
  'the end of a ban': {
    method: 'DELETE',
    route: '/guilds/*/bans/*',
    permission: 'Ban Members',
    gone: 10_026,
    prepare: () => stage.act('bans.add', 'owner', { user_id: user(), reason: 'Spam' }),
    act: () => stage.act('bans.lift', 'owner', { userId: user() }),
    isDone: () => guild().bans.length === 0,
  },
  'a kick': {
    method: 'DELETE',
    route: '/guilds/*/members/*',
    permission: 'Kick Members',
    gone: 10_007,
    act: () => stage.act('members.kick', 'owner', { user_id: user(), reason: 'Noise' }),
    isDone: () => member() === undefined,
  },
  'another length of a mute': {
    method: 'PATCH',
    route: '/guilds/*/members/*',
    permission: 'Moderate Members',
    gone: 10_007,
    prepare: mute,
    act: () => stage.act('mutes.change', 'owner', { userId: user(), duration_minutes: 120 }),
    isDone: () => minutesLeft() > 100,
  },
};

/** What is missing, by Discord's code. */
const MISSING = new Map([
  [10_003, /^This guild has no channel \d+/],
  [10_007, /member/],
  [10_026, /ban/],
]);

/** How the latest action of the guild ended, in the audit log. */
async function outcomes(): Promise<string[]> {
  const { rows } = await stage.test.database.pool.query<{ outcome: string }>(
    `SELECT outcome FROM audit WHERE request_id = (
       SELECT request_id FROM actions WHERE guild_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1)
     ORDER BY id`,
    [stage.guildId],
  );
  return rows.map(({ outcome }) => outcome);
}

async function hideLog(): Promise<void> {
  const { id, permissions } = guild().roles.find(({ name }) => name === 'Bailiff') ?? {
    id: '',
    permissions: '0',
  };
  const hidden = String(BigInt(permissions) & ~PermissionFlagsBits.ViewAuditLog);
  stage.sandbox.control.roles({ action: 'update', role: id, permissions: hidden });
  await stage.row('SELECT FROM roles WHERE id = $1 AND permissions & 128 = 0', [id]);
}

/**
 * Without the audit log nobody knows who gave a role, so it is not taken, nor who lifted what stands no more, nor whether
 * who is gone was kicked.
 */
const NEED_LOG = ['the end of such a role', 'the end of a mute', 'the end of a ban', 'a kick'];
const LOOKS = Object.entries(EFFECTS).flatMap(([what, effect]) =>
  (['in the audit log', 'at what stands, without the audit log'] as const)
    .filter((where) => where === 'in the audit log' || !NEED_LOG.includes(what))
    .map((where) => [what, where, effect] as const),
);

test.each(LOOKS)('%s whose answer was lost is found %s', async (_what, where, effect) => {
  verifies('errors.upstream-unavailable.discord');
  if (where !== 'in the audit log') await hideLog();
  await effect.prepare?.();
  const { method, route } = effect;
  stage.sandbox.control.addFault({ method, route, when: 'after', status: 504 });
  expect((await effect.act()).status).toBeLessThan(300);
  expect([effect.isDone(), await outcomes()]).toEqual([true, ['requested', 'performed']]);
});

const LIFTINGS = Object.entries(EFFECTS).filter(([what]) => /^the end of a (mute|ban)$/.test(what));

test.each(LIFTINGS)(
  'nobody knows whether %s whose answer was lost was ours, without the audit log',
  async (_what, effect) => {
    verifies('errors.upstream-unavailable.discord');
    await hideLog();
    await effect.prepare?.();
    const { method, route } = effect;
    stage.sandbox.control.addFault({ method, route, when: 'after', status: 504 });
    expect(await refusalOf(effect.act())).toMatchObject({ details: { outcome: 'unknown' } });
    expect(effect.isDone()).toBe(true);
  },
);

/** The log as it is before Discord has written what it did. */
const EMPTY_LOG = {
  route: '/guilds/*/audit-logs',
  method: 'GET',
  status: 200,
  body: {
    application_commands: [],
    audit_log_entries: [],
    auto_moderation_rules: [],
    guild_scheduled_events: [],
    integrations: [],
    threads: [],
    users: [],
    webhooks: [],
  },
} as const;

/** Before a role is taken, the log is read to learn who gave it. Afterwards the member says whether it was taken. */
const LOGGED = Object.entries(EFFECTS).filter(([what]) => what !== 'the end of such a role');

test.each(LOGGED)(
  '%s that Discord carried out and then reported as failed is not said to have failed before the log shows it',
  async (_what, effect) => {
    verifies('errors.upstream-unavailable.discord');
    await effect.prepare?.();
    const { method, route } = effect;
    stage.sandbox.control.addFault({ method, route, when: 'after', status: 503 });
    stage.sandbox.control.addFault(EMPTY_LOG);
    await effect.act().catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', details: { outcome: 'unknown' } });
    });
    stage.sandbox.control.clearFaults();
    expect(effect.isDone()).toBe(true);
    const { pool } = stage.test.database;
    await pool.query("UPDATE actions SET created_at = now() - interval '2 minutes', looked_at = NULL");
    await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
    await stage.row("SELECT FROM actions WHERE state <> 'done' HAVING count(*) = 0");
    expect(await outcomes()).toContain('performed');
  },
);

test.each(Object.entries(EFFECTS))(
  '%s that Discord reports as failed, and that shows nowhere, was not performed',
  async (_what, effect) => {
    verifies('errors.upstream-unavailable.discord');
    await effect.prepare?.();
    const { method, route } = effect;
    stage.sandbox.control.addFault({ method, route, status: 503 });
    expect(await refusalOf(effect.act())).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { outcome: 'not_performed' },
    });
    expect(effect.isDone()).toBe(false);
  },
);

test.each(Object.entries(EFFECTS))('%s that did not happen is not said to have', async (_what, effect) => {
  verifies('errors.upstream-unavailable.discord');
  await effect.prepare?.();
  const { method, route } = effect;
  stage.sandbox.control.addFault({ method, route, status: 504 });
  expect(await refusalOf(effect.act())).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    details: { outcome: 'unknown' },
  });
  expect(effect.isDone()).toBe(false);
  expect(await outcomes()).not.toContain('performed');
});

test.each(Object.entries(EFFECTS))('%s that Discord forbids names the permission', async (_what, effect) => {
  verifies('errors.forbidden.bot-missing-permission');
  await effect.prepare?.();
  const { method, route, permission } = effect;
  const body = { message: 'Missing Permissions', code: 50_013 };
  stage.sandbox.control.addFault({ method, route, status: 403, body });
  const { details } = await refusalOf(effect.act());
  expect(details).toMatchObject({
    reason: 'BOT_MISSING_PERMISSION',
    permissions: expect.arrayContaining([permission]),
  });
  expect(effect.isDone()).toBe(false);
});

test.each(Object.entries(EFFECTS))('%s of what is gone is not found', async (_what, effect) => {
  await effect.prepare?.();
  const { method, route, gone } = effect;
  const body = { message: 'Unknown', code: gone };
  stage.sandbox.control.addFault({ method, route, status: 404, body });
  const message = expect.stringMatching(MISSING.get(gone) ?? /./);
  expect(await refusalOf(effect.act())).toMatchObject({ code: 'NOT_FOUND', message });
  expect(await outcomes()).toEqual(['requested', 'failed']);
});
