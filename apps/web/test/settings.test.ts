import { type CountedStrike, type EscalationPolicy, escalationOf, type Severity } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { escalationPolicy, foreseeEscalation } from '@bailiff/engine/cases/escalation';
import { listPresets } from '@bailiff/engine/cases/presets';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import type { SeededGuild } from '@bailiff/engine/testing';
import { describe, expect, it } from 'vitest';
import { consequencesOf } from '#components/settings/escalation-preview.ts';
import { guildForEachTest } from './each-test.ts';
import { exhaust, type Person, signedIn, type TestWeb } from './support.ts';

const CHANNEL = '834989431927603200';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

const below = (path: string) => `/api/guilds/${guild.id}/${path}`;
const STRIKE = { kind: 'strike', name: 'Spam', reason: 'Spam in several channels', severity: 'minor' };

async function auditOf(operation: string): Promise<unknown[]> {
  const { rows } = await web.db.pool.query(
    'SELECT details FROM audit WHERE guild_id = $1 AND operation = $2 ORDER BY id',
    [guild.id, operation],
  );
  return rows.map(({ details }) => details);
}

it('an owner sets language, notices and log channel; each change is in the audit log', async () => {
  const changed = await owner.call('PATCH', below('settings'), {
    language: 'de',
    notifies_targets: false,
    log_channel_id: CHANNEL,
  });
  expect(changed).toMatchObject({
    status: 200,
    body: { language: 'de', notifies_targets: false, log_channel_id: CHANNEL, reports_channel_id: null },
  });
  expect(await auditOf('settings.update')).toEqual([
    { language: 'de', notifies_targets: false, log_channel_id: CHANNEL },
  ]);

  expect(await owner.call('PATCH', below('settings'), { hides_first_steps: true })).toMatchObject({
    status: 200,
    body: { hides_first_steps: true },
  });
  await owner.call('PATCH', below('settings'), { log_channel_id: null });
  expect(await guildSettings(web.db, guild.id)).toMatchObject({ language: 'de', logChannelId: null });
});

it('each setting is saved by itself, and leaves the others as they were', async () => {
  const saved = {
    notifies_targets: true,
    alerts_joins: true,
    alerts_quiet_days: 14,
    hides_first_steps: false,
    reports_channel_id: CHANNEL,
  };
  for (const [name, value] of Object.entries(saved)) {
    expect(await owner.call('PATCH', below('settings'), { [name]: value })).toMatchObject({
      status: 200,
      body: { [name]: value },
    });
  }
  expect(await owner.call('PATCH', below('settings'), { alerts_quiet_days: null })).toMatchObject({
    status: 200,
    body: { ...saved, alerts_quiet_days: null },
  });
});

it('an owner gives parts of the log a channel of their own, and takes it back', async () => {
  verifies('log.topics.settings');
  const asked = (log_topics: object, by = owner) => by.call('PATCH', below('settings'), { log_topics });
  await asked({ bans: CHANNEL, mutes: CHANNEL });
  expect(await asked({ bans: '834989431927603201' })).toMatchObject({
    status: 200,
    body: { log_topics: { bans: '834989431927603201', mutes: CHANNEL } },
  });
  expect(await asked({ mutes: null })).toMatchObject({
    status: 200,
    body: { log_topics: { bans: '834989431927603201' } },
  });
  expect((await auditOf('settings.update')).at(-1)).toEqual({ log_topics: { mutes: null } });
  for (const wrong of [{ joins: CHANNEL }, { bans: 'general' }, { bans: 7 }]) {
    expect(await asked(wrong)).toMatchObject({ status: 422, body: { error: { code: 'VALIDATION_FAILED' } } });
  }
  expect(await guildSettings(web.db, guild.id)).toMatchObject({
    logTopics: { bans: '834989431927603201' },
    logTopicProblems: {},
  });
});

it('the guild adds its own words and colour to notices, with no placeholders but those there are', async () => {
  verifies('notices.own-words.settings');
  const words = 'You broke {reason}. Write to us: {appeal} { }';
  const asked = (changes: object) => owner.call('PATCH', below('settings'), changes);
  const own = { notice_words: 'You broke a rule of {server}: {reason}. {appeal}', notice_colour: '#0a0b0c' };
  expect(await asked(own)).toMatchObject({ status: 200, body: own });
  expect(await guildSettings(web.db, guild.id)).toMatchObject({
    noticeWords: own.notice_words,
    noticeColour: own.notice_colour,
  });
  expect(await auditOf('settings.update')).toEqual([own]);
  for (const [path, value] of [
    ['notice_words', words],
    ['notice_words', 'Ask {moderator}'],
    ['notice_words', 'x'.repeat(1_001)],
    ['notice_colour', 'red'],
    ['notice_colour', '#12345'],
  ]) {
    expect(await asked({ [String(path)]: value })).toMatchObject({
      status: 422,
      body: { error: { details: { issues: [{ path }] } } },
    });
  }
  expect(await asked({ notice_words: '  ' })).toMatchObject({ status: 200, body: { notice_words: '' } });
});

it('the owner chooses of which commands everybody is told, each once and of those there are', async () => {
  verifies('chat.public-answers.settings');
  const asked = (answers: unknown) => owner.call('PATCH', below('settings'), { public_answers: answers });
  expect((await guildSettings(web.db, guild.id)).publicAnswers).toEqual([]);
  const chosen = ['bans.add', 'mutes.add'];
  expect(await asked(chosen)).toMatchObject({ status: 200, body: { public_answers: chosen } });
  expect((await guildSettings(web.db, guild.id)).publicAnswers).toEqual(chosen);
  expect(await auditOf('settings.update')).toEqual([{ public_answers: chosen }]);
  for (const wrong of [['notes.add'], ['bans.add', 'bans.add'], 'bans.add', null]) {
    expect((await asked(wrong)).status).toBe(422);
  }
  const moderator = await signedIn(web, guild.moderatorId);
  const tried = await moderator.call('PATCH', below('settings'), { public_answers: [] });
  expect(tried.status).toBe(404);
  expect(await asked([])).toMatchObject({ status: 200, body: { public_answers: [] } });
});

it('tests of a channel are limited per guild, and nobody but the owner uses them up', async () => {
  verifies('settings.test-channel');
  const test = (person: Person) =>
    person.call('POST', below('settings/test-channel'), { channel_id: CHANNEL });
  const moderator = await signedIn(web, guild.moderatorId);
  expect((await test(moderator)).status).toBe(404);
  const counted = await web.db.pool.query("SELECT FROM rate_limits WHERE key LIKE 'channel-test:%'");
  expect(counted.rowCount).toBe(0);
  await exhaust(web.db, `channel-test:${guild.id}`, 10);
  const refused = await test(owner);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(500);
  expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(600);
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMITED' } } });
  expect(await auditOf('settings.test')).toEqual([]);
});

it('another log channel is not blamed for what was wrong with the one before', async () => {
  await owner.call('PATCH', below('settings'), { log_channel_id: CHANNEL });
  await web.db.pool.query(`UPDATE guilds SET log_channel_problem = 'unknown_channel' WHERE id = $1`, [
    guild.id,
  ]);
  await owner.call('PATCH', below('settings'), { language: 'fr' });
  expect((await guildSettings(web.db, guild.id)).logChannelProblem).toBe('unknown_channel');
  await owner.call('PATCH', below('settings'), { log_channel_id: '834989431927603201' });
  expect((await guildSettings(web.db, guild.id)).logChannelProblem).toBeNull();
});

it('a preset reason is written, changed and removed, and what is wrong is said at its field', async () => {
  const { status, body } = await owner.call('POST', below('presets'), STRIKE);
  expect(status).toBe(201);
  const again = await owner.call('POST', below('presets'), STRIKE);
  expect(again.body.error.details.issues).toMatchObject([{ path: 'name' }]);
  const endless = { kind: 'mute', name: 'Noise', reason: 'Noise' };
  expect((await owner.call('POST', below('presets'), endless)).body.error.details.issues).toMatchObject([
    { path: 'duration_minutes' },
  ]);

  const ban = { kind: 'ban', name: 'Raid', reason: 'Part of a raid', duration_minutes: null };
  expect((await owner.call('PUT', below(`presets/${body.id}`), ban)).body).toMatchObject(ban);
  expect(await listPresets(web.db, guild.id)).toMatchObject([{ name: 'Raid', durationMinutes: null }]);
  await owner.call('DELETE', below(`presets/${body.id}`));
  expect(await listPresets(web.db, guild.id)).toEqual([]);
  expect((await owner.call('DELETE', below(`presets/${body.id}`))).status).toBe(404);
});

it('an escalation that is saved is the one the next strike is judged by', async () => {
  const steps = [
    { points: 5, sanction: 'ban', duration_minutes: null },
    { points: 3, sanction: 'mute', duration_minutes: 1440 },
  ];
  const policy = { minor_points: 1, major_points: 3, decay_days: 30, steps };
  const saved = await owner.call('PUT', below('escalation'), policy);
  expect(saved.body.steps.map(({ points }: { points: number }) => points)).toEqual([3, 5]);
  expect((await foreseeEscalation(web.db, guild.id, '100000000000000099', 'major')).step).toMatchObject({
    sanction: 'mute',
    durationMinutes: 1440,
  });

  const twice = { ...policy, steps: [steps[0], steps[0]] };
  const refused = await owner.call('PUT', below('escalation'), twice);
  expect(refused.body.error.details.issues).toMatchObject([{ path: 'steps.1.points' }]);
  expect((await escalationPolicy(web.db, guild.id)).steps).toHaveLength(2);
});

describe('who is not the owner changes none of it', () => {
  const CHANGES = [
    ['PATCH', 'settings', { language: 'de' }],
    ['POST', 'presets', STRIKE],
    ['PUT', 'presets/1', STRIKE],
    ['DELETE', 'presets/1', undefined],
    ['PUT', 'escalation', { minor_points: 1, major_points: 3, steps: [] }],
  ] as const;

  it.each(CHANGES)('%s %s: 403 to a moderator, 404 to a stranger', async (method, path, body) => {
    const moderator = await signedIn(web, guild.moderatorId);
    await web.db.pool.query('UPDATE guilds SET grants_confirmed_at = now() WHERE id = $1', [guild.id]);
    await owner.call('PUT', below('grants'), {
      grants: [{ role_id: guild.moderatorRoleId, capabilities: ['strikes.write'] }],
    });
    const refused = await moderator.call(method, below(path), body);
    expect(refused).toMatchObject({ status: 403, body: { error: { details: { reason: 'OWNER_ONLY' } } } });

    const stranger = await signedIn(web, '900000000000000098');
    expect((await stranger.call(method, below(path), body)).status).toBe(404);
    expect(await guildSettings(web.db, guild.id)).toMatchObject({ language: 'en' });
    expect(await listPresets(web.db, guild.id)).toEqual([]);
  });
});

it('a refusal is in the language that was chosen in the browser', async () => {
  const inGerman = { Cookie: `${owner.cookie}; bailiff.locale=de` };
  const wrong = await owner.call('POST', below('presets'), { ...STRIKE, name: '' }, inGerman);
  expect(wrong.body.error.details.issues).toEqual([
    { path: 'name', message: 'muss mindestens 1 Zeichen haben' },
  ]);
  const moderator = await signedIn(web, guild.moderatorId);
  await owner.call('PUT', below('grants'), {
    grants: [{ role_id: guild.moderatorRoleId, capabilities: ['strikes.write'] }],
  });
  const asGerman = { Cookie: `${moderator.cookie}; bailiff.locale=de` };
  const refused = await moderator.call('PATCH', below('settings'), { language: 'de' }, asGerman);
  expect(refused.body.error.message).toBe('Das kann nur der Eigentümer des Servers.');
});

describe('the preview of what strikes lead to', () => {
  const mute = (points: number) => ({ points, sanction: 'mute' as const, durationMinutes: 60 });
  const POLICIES: readonly (readonly [string, EscalationPolicy])[] = [
    ['steps apart', { minorPoints: 1, majorPoints: 3, decayDays: null, steps: [mute(3), mute(7)] }],
    [
      'steps that one strike leaps over',
      { minorPoints: 2, majorPoints: 5, decayDays: null, steps: [mute(2), mute(4), mute(5)] },
    ],
    ['a worth of nothing', { minorPoints: 0, majorPoints: 1, decayDays: null, steps: [mute(2)] }],
    ['steps in no order', { minorPoints: 3, majorPoints: 4, decayDays: null, steps: [mute(9), mute(1)] }],
  ];

  it.each(POLICIES)('is what the policy does: %s', (_name, policy) => {
    const severities: readonly Severity[] = ['minor', 'major'];
    const done = severities.flatMap((severity) => {
      const issuedAt = new Date('2026-11-01T00:00:00Z');
      const strike: CountedStrike = { severity, issuedAt, active: true, byPerson: true };
      return Array.from({ length: 10 }, (_, before) => before + 1).flatMap((strikes) => {
        const { step } = escalationOf(
          policy,
          Array.from({ length: strikes }, () => strike),
          issuedAt,
        );
        return step === null ? [] : [{ severity, strikes, step }];
      });
    });
    expect(consequencesOf(policy)).toEqual(done);
  });
});
