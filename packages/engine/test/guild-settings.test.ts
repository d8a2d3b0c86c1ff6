import {
  ApiError,
  EscalationInput,
  expectedSentinel,
  type InputOf,
  PresetInput,
  readBody,
  type Severity,
} from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getAction } from '#src/calls/actions.ts';
import { authorize } from '#src/calls/authorize.ts';
import { performForPerson, performWrite } from '#src/calls/write-call.ts';
import {
  escalationOfCase,
  escalationPolicy,
  foreseeEscalation,
  standingOf,
  updateEscalation,
} from '#src/cases/escalation.ts';
import {
  addPreset,
  listPresets,
  MOST_PRESETS_PER_GUILD,
  removePreset,
  updatePreset,
} from '#src/cases/presets.ts';
import { createWaiters } from '#src/database/waiters.ts';
import type { Engine } from '#src/engine.ts';
import { guildSettings, updateGuildSettings } from '#src/guilds/guild-settings.ts';
import {
  giveTime,
  grantRole,
  type SeededGuild,
  seedGuild,
  seedToken,
  seedWindow,
  snowflake,
} from '#src/testing.ts';
import { botAction } from '#src/worker/claim.ts';
import { isOfEscalation } from '#src/worker/escalation-actions.ts';

let test: TestDatabase;
let engine: Engine;
let guild: SeededGuild;

beforeAll(() => giveTime('database'));
beforeAll(async () => {
  test = await createTestDatabase();
  engine = { db: test.database, waiters: createWaiters(), dashboardUrl: 'http://localhost:3000' };
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  await grantRole(test.database, guild, guild.moderatorRoleId, ['strikes.write']);
});

const as = (userId: string) => ({ userId, requestId: 'req_test', address: '192.0.2.1' });
const asOwner = () => as(guild.ownerId);
const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('The call succeeded where a refusal was expected');
}

const preset = (name: string, more: object = {}) =>
  PresetInput.parse({ kind: 'strike', name, reason: `Reason ${name}`, severity: 'major', ...more });
const POLICY = EscalationInput.parse({
  minor_points: 1,
  major_points: 3,
  decay_days: 30,
  steps: [
    { points: 6, sanction: 'ban' },
    { points: 3, sanction: 'mute', duration_minutes: 60 },
  ],
});
const setPolicy = () => updateEscalation(test.database, asOwner(), guild.id, POLICY);

const userIds = () => ({
  moderator: guild.moderatorId,
  stranger: guild.strangerId,
});

describe('what only an owner sets', () => {
  it.each([
    ['moderator', 'FORBIDDEN'],
    ['stranger', 'NOT_FOUND'],
  ] as const)('is refused to a %s, who changes nothing', async (who, code) => {
    const db = test.database;
    const call = as(userIds()[who]);
    const { id } = await addPreset(db, asOwner(), guild.id, preset('spam'));
    for (const attempt of [
      () => updateGuildSettings(db, call, guild.id, { notifiesTargets: false }),
      () => addPreset(db, call, guild.id, preset('other')),
      () => updatePreset(db, call, guild.id, id, preset('other')),
      () => removePreset(db, call, guild.id, id),
      () => updateEscalation(db, call, guild.id, POLICY),
    ]) {
      expect((await refusal(attempt())).code).toBe(code);
    }
    expect(await guildSettings(db, guild.id)).toMatchObject({ notifiesTargets: true });
    expect((await listPresets(db, guild.id)).map(({ name }) => name)).toEqual(['spam']);
    expect((await escalationPolicy(db, guild.id)).steps).toEqual([]);
  });

  it('is on record: each change leaves its audit row', async () => {
    const db = test.database;
    const { id } = await addPreset(db, asOwner(), guild.id, preset('spam'));
    await updatePreset(db, asOwner(), guild.id, id, preset('flood', { severity: 'minor' }));
    await removePreset(db, asOwner(), guild.id, id);
    await setPolicy();
    const channelId = snowflake();
    await updateGuildSettings(db, asOwner(), guild.id, { language: 'de', logChannelId: channelId });
    await updateGuildSettings(db, asOwner(), guild.id, { notifiesTargets: false });
    expect(await guildSettings(db, guild.id)).toMatchObject({
      logChannelId: channelId,
      language: 'de',
      notifiesTargets: false,
    });
    await updateGuildSettings(db, asOwner(), guild.id, { logChannelId: null });
    expect((await guildSettings(db, guild.id)).logChannelId).toBeNull();
    const rows = await query(
      "SELECT operation, actor_user_id = $2 AS own, details FROM audit WHERE guild_id = $1 AND actor_source = 'dashboard' ORDER BY id",
      [guild.id, guild.ownerId],
    );
    expect(rows.every(({ own }) => own)).toBe(true);
    expect(rows.map(({ operation }) => operation)).toEqual([
      ...['presets.create', 'presets.update', 'presets.delete', 'escalation.update'],
      ...['settings.update', 'settings.update', 'settings.update'],
    ]);
    expect(rows[1]).toMatchObject({ details: { id, name: 'flood', severity: 'minor' } });
    expect(rows[3]).toMatchObject({ details: { major_points: 3, decay_days: 30 } });
    expect(rows[4]).toMatchObject({ details: { language: 'de', log_channel_id: channelId } });
  });

  it('says nothing of a new log channel, or of a topic’s, that was true of the earlier one', async () => {
    verifies('log.topics');
    const choose = (logChannelId: string) =>
      updateGuildSettings(test.database, asOwner(), guild.id, { logChannelId });
    const shown = () =>
      query(
        `SELECT log_channel_problem, log_channel_posted_at, t.problem FROM guilds g
         JOIN log_topics t ON t.guild_id = g.id WHERE g.id = $1`,
        [guild.id],
      );
    await choose(snowflake());
    await query("INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, 'bans', $2)", [
      guild.id,
      snowflake(),
    ]);
    await query(
      `UPDATE guilds SET log_channel_problem = 'missing_permission', log_channel_posted_at = now() WHERE id = $1`,
      [guild.id],
    );
    await query("UPDATE log_topics SET problem = 'missing_permission' WHERE guild_id = $1", [guild.id]);
    await choose(snowflake());
    await query('UPDATE log_topics SET channel_id = $2 WHERE guild_id = $1', [guild.id, snowflake()]);
    expect(await shown()).toEqual([
      { log_channel_problem: null, log_channel_posted_at: null, problem: null },
    ]);
  });

  it('has every changed setting in the audit log', async () => {
    const changes = {
      ...{
        reportsChannelId: snowflake(),
        notifiesTargets: true,
        noticeWords: 'Be kind',
        noticeColour: '#112233',
      },
      ...{ alertsJoins: true, alertsQuietDays: 30, hidesFirstSteps: true },
    };
    await updateGuildSettings(test.database, asOwner(), guild.id, changes);
    const [row] = await query(
      "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'settings.update'",
      [guild.id],
    );
    expect(row.details).toEqual({
      ...{ reports_channel_id: changes.reportsChannelId, notifies_targets: true, notice_words: 'Be kind' },
      ...{ notice_colour: '#112233', alerts_joins: true, alerts_quiet_days: 30, hides_first_steps: true },
    });
  });
});

describe('preset reasons', () => {
  it('have a name once for each kind', async () => {
    const db = test.database;
    await addPreset(db, asOwner(), guild.id, preset('spam'));
    const mute = PresetInput.parse({ kind: 'mute', name: 'spam', reason: 'Spam', duration_minutes: 60 });
    await addPreset(db, asOwner(), guild.id, mute);
    const again = await refusal(addPreset(db, asOwner(), guild.id, preset('spam')));
    expect(again).toMatchObject({ code: 'VALIDATION_FAILED', details: { issues: [{ path: 'name' }] } });
    expect((await listPresets(db, guild.id, 'mute')).map(({ reason }) => reason)).toEqual(['Spam']);
  });

  it('of another guild cannot be changed or removed', async () => {
    const db = test.database;
    const other = await seedGuild(db);
    const { id } = await addPreset(db, as(other.ownerId), other.id, preset('spam'));
    expect((await refusal(updatePreset(db, asOwner(), guild.id, id, preset('mine')))).code).toBe('NOT_FOUND');
    expect((await refusal(removePreset(db, asOwner(), guild.id, id))).code).toBe('NOT_FOUND');
    expect((await listPresets(db, other.id)).map(({ name }) => name)).toEqual(['spam']);
  });

  it('are fifty at most, also when several come for the last place', async () => {
    await query(
      `INSERT INTO reason_presets (guild_id, kind, name, reason, severity)
       SELECT $1, 'strike', 'n' || n, 'r', 'minor' FROM generate_series(1, $2::int) n`,
      [guild.id, MOST_PRESETS_PER_GUILD - 1],
    );
    const added = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((name) => addPreset(test.database, asOwner(), guild.id, preset(name))),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = added.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'PRESET_LIMIT' } });
    expect(await listPresets(test.database, guild.id)).toHaveLength(MOST_PRESETS_PER_GUILD);
  });
});

describe('escalation', () => {
  const strike = (more: { foreseen?: null | (typeof POLICY)['steps'][number]; severity?: Severity } = {}) =>
    performForPerson(engine, {
      operation: 'strikes.add',
      guildId: guild.id,
      input: { user_id: guild.strangerId, severity: more.severity ?? 'minor', reason: 'Spam' },
      actor: { source: 'dashboard', userId: guild.moderatorId },
      requestId: 'req_strike',
      address: '192.0.2.1',
      ...('foreseen' in more ? { foreseen: more.foreseen } : {}),
    });
  const overToken = async (secret: string, input: InputOf<'strikes.add'>) => {
    const call = { operation: 'strikes.add', requestId: 'req_token', address: '192.0.2.1' } as const;
    const { concrete: _confirmation } = expectedSentinel('strikes.add', guild.id, input);
    const authorized = await authorize(
      engine,
      {
        ...call,
        params: {},
        guildId: guild.id,
        authorization: `Bearer ${secret}`,
        readInput: async () => readBody('strikes.add', {}, { ...input, _confirmation }),
      },
      () => {},
    );
    const actor = { source: 'token', token: authorized.token } as const;
    const { confirmation } = authorized;
    return performWrite(engine, {
      ...call,
      input,
      confirmation,
      guildId: guild.id,
      address: '192.0.2.1',
      actor,
    });
  };
  const escalations = () =>
    query(
      'SELECT points, sanction, duration_minutes FROM escalations WHERE guild_id = $1 ORDER BY created_at',
      [guild.id],
    );

  it('is foreseen, and noted with the strike that reaches a step, with its job', async () => {
    await setPolicy();
    const db = test.database;
    expect(await standingOf(db, guild.id, guild.strangerId)).toMatchObject({
      points: 0,
      next: { points: 3 },
    });
    expect(await foreseeEscalation(db, guild.id, guild.strangerId, 'major')).toEqual({
      pointsBefore: 0,
      pointsAfter: 3,
      step: { points: 3, sanction: 'mute', durationMinutes: 60 },
    });
    const { body } = await strike({ severity: 'major' });
    expect(await escalations()).toEqual([{ points: 3, sanction: 'mute', duration_minutes: 60 }]);
    const { strike_id: strikeId } = body as { strike_id: string };
    expect(
      await query('SELECT FROM graphile_worker.jobs WHERE key = $1', [`escalate:${strikeId}`]),
    ).toHaveLength(1);
    expect(await standingOf(db, guild.id, guild.strangerId)).toMatchObject({
      points: 3,
      next: { points: 6 },
    });
    expect(await escalationOfCase(db, guild.id, strikeId)).toMatchObject({
      strike: { id: strikeId, caseNumber: 1 },
      points: 3,
      sanctionCase: null,
    });
  });

  it('follows once from strikes that are given at the same time', async () => {
    await setPolicy();
    await Promise.all(Array.from({ length: 5 }, () => strike()));
    expect(await escalations()).toEqual([{ points: 3, sanction: 'mute', duration_minutes: 60 }]);
  });

  it.each([
    ['nothing, and a mute would follow', null],
    ['a ban, and a mute would follow', { points: 6, sanction: 'ban', durationMinutes: null } as const],
  ])('does nothing where a person was shown %s', async (_, foreseen) => {
    await setPolicy();
    const refused = await refusal(strike({ severity: 'major', foreseen }));
    expect(refused).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'ESCALATION_CHANGED' } });
    expect(await query('SELECT FROM cases WHERE guild_id = $1', [guild.id])).toEqual([]);
    expect(await escalations()).toEqual([]);
  });

  it('never follows from a strike over a token, and falls due with the next one of a person', async () => {
    await setPolicy();
    const token = await seedToken(test.database, guild);
    await seedWindow(test.database, guild, token);
    const input = { user_id: guild.strangerId, severity: 'major', reason: 'Bot' } as const;
    const { status, body } = await overToken(token.secret, input);
    expect([status, body]).toMatchObject([201, { severity: 'major' }]);
    expect(await escalations()).toEqual([]);
    expect(await foreseeEscalation(test.database, guild.id, guild.strangerId, 'minor')).toMatchObject({
      pointsBefore: 3,
      pointsAfter: 4,
      step: { points: 3, sanction: 'mute' },
    });
    await strike();
    expect(await escalations()).toEqual([{ points: 4, sanction: 'mute', duration_minutes: 60 }]);
  });

  it('does not count what has decayed', async () => {
    await setPolicy();
    await strike();
    await strike();
    await query("UPDATE cases SET issued_at = issued_at - interval '31 days' WHERE guild_id = $1", [
      guild.id,
    ]);
    await strike();
    expect(await escalations()).toEqual([]);
    expect(await standingOf(test.database, guild.id, guild.strangerId)).toMatchObject({ points: 1 });
  });

  it('counts the strikes of its own guild only', async () => {
    await setPolicy();
    const elsewhere = await seedGuild(test.database);
    await query("SELECT open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'major')", [
      elsewhere.id,
      guild.strangerId,
      elsewhere.ownerId,
    ]);
    expect(await standingOf(test.database, guild.id, guild.strangerId)).toMatchObject({
      points: 0,
      next: { points: 3 },
    });
    await strike();
    expect(await escalations()).toEqual([]);
  });

  it('has the bot do the one thing that follows, to the person of the strike', async () => {
    await setPolicy();
    const { body } = await strike({ severity: 'major' });
    const { strike_id: strikeId } = body as { strike_id: string };
    const [row] = await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
       VALUES ($1, 'mutes.add', $2, '', 'system', $3, 'req_escalation', now()) RETURNING id`,
      [guild.id, { user_id: guild.strangerId, reason: '3 points', duration_minutes: 60 }, guild.botId],
    );
    await query('UPDATE escalations SET action_id = $2 WHERE strike_id = $1', [strikeId, row.id]);
    const recorded = await getAction(test.database, guild.id, row.id);
    const follows = (more: object = {}, operation: 'mutes.add' | 'bans.add' = 'mutes.add') => {
      const input = { ...(recorded?.input as object), ...more };
      const action = recorded === null ? null : botAction({ ...recorded, operation, input });
      return action === null ? null : isOfEscalation(test.database, action);
    };
    expect(await follows()).toBe(true);
    expect(await follows({ user_id: guild.moderatorId })).toBe(false);
    expect(await follows({ duration_minutes: 600 })).toBe(false);
    expect(await follows({}, 'bans.add')).toBe(false);
    await query('UPDATE cases SET ended_at = now() WHERE id = $1', [strikeId]);
    expect(await follows()).toBe(false);
  });

  it('asks for nothing in a guild that has set nothing', async () => {
    await strike({ severity: 'major' });
    expect(await escalations()).toEqual([]);
    expect(await standingOf(test.database, guild.id, guild.strangerId)).toBeNull();
  });
});
