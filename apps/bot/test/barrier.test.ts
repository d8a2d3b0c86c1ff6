import { verifies } from '@bailiff/core/testing';
import { revokeToken } from '@bailiff/engine/tokens/tokens';
import { closeWindow, openWindow } from '@bailiff/engine/tokens/windows';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import {
  bot,
  grant,
  mint,
  newMember,
  overToken,
  ownerOf,
  personOf,
  refusalOf,
  type Stage,
  setStage,
} from './harness.ts';

let stage: Stage;
let later: Promise<Bot> | undefined;

beforeEach(async () => {
  stage = await setStage();
});

afterEach(async () => {
  stage.sandbox.control.clearFaults();
  await (await later)?.stop();
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

/** Stops the bot, and keeps the mirror fresh for as long as after a crash. */
async function sendBotAway(): Promise<void> {
  const { pool } = stage.test.database;
  await stage.bot.stop();
  await pool.query(
    `INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at) VALUES (0, 1, 'x', now())`,
  );
  await pool.query('UPDATE guilds SET mirrored_at = now()');
}

async function mintWithWindow(name: string) {
  const token = await mint(stage, name);
  await openWindow(stage.engine.db, ownerOf(stage.sandbox), token.id, 15);
  return token;
}

const MEMBERS = '/guilds/*/members';
const untilHeld = (faultId: number) =>
  stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === faultId));

/** A ban over a token. */
const ban = (secret: string, user_id: string) =>
  overToken(stage, secret, { operation: 'bans.add', body: { user_id, reason: 'Spam' } });

test('what changes while a ban waits for the bot counts: the bot that comes bans nobody who may not be', async () => {
  verifies('G2', 'G8', 'H16', 'bot.ready-compares');
  await grant(stage, 'Moderator', ['bans.write']);
  const [closed, revoked, untouched] = await Promise.all(
    ['closed', 'revoked', 'untouched'].map(mintWithWindow),
  );
  const newcomer = () => newMember(stage.sandbox);
  const targets = [newcomer(), newcomer(), newcomer(), newcomer()] as const;
  const moderator = personOf(stage.sandbox, 'moderator');
  await stage.row('SELECT FROM members WHERE user_id = $1', [moderator]);
  await sendBotAway();
  // The next bot has begun to start, so that the calls need not wait for all of that.
  const { control } = stage.sandbox;
  const start = control.addFault({ route: '/gateway/bot', held: true, times: null });
  later = bot(stage.config);
  later.catch(() => {});
  await untilHeld(start.id);

  const calls = [
    refusalOf(ban(closed?.secret ?? '', targets[0])),
    refusalOf(ban(revoked?.secret ?? '', targets[1])),
    refusalOf(stage.act('bans.add', 'moderator', { user_id: targets[2], reason: 'Spam' })),
    ban(untouched?.secret ?? '', targets[3]),
  ] as const;
  for (const target of targets) await stage.row('SELECT FROM actions WHERE target_id = $1', [target]);
  await closeWindow(stage.engine.db, ownerOf(stage.sandbox), closed?.id ?? '');
  await revokeToken(stage.engine.db, ownerOf(stage.sandbox), revoked?.id ?? '');
  control.members({ action: 'set_roles', user: 'moderator', roles: [], by: 'owner' });
  // The bot finds the calls before it knows what its members may do now.
  control.clearFaults();
  const list = control.addFault({ route: MEMBERS, method: 'GET', held: true, times: null });
  await later;
  await untilHeld(list.id);
  control.clearFaults();

  expect(await calls[0]).toMatchObject({ code: 'RE_AUTH_REQUIRED', status: 403 });
  expect(await calls[1]).toMatchObject({ code: 'TOKEN_REVOKED', status: 401 });
  expect(await calls[2]).toMatchObject({ code: 'CAPABILITY_DENIED', status: 403 });
  expect(await calls[3]).toMatchObject({ status: 201, body: { ban: { user_id: targets[3] } } });
  const guild = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
  expect(guild?.bans.map(({ user_id }) => user_id).filter((id) => targets.includes(id))).toEqual([
    targets[3],
  ]);
});
