import { untilShown, verifies } from '@bailiff/core/testing';
import { seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { putOffNotice } from '#src/jobs.ts';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';
import { acquaint, personOf, refusalOf } from './harness.ts';

let stage: ChatStage;
beforeAll(async () => {
  stage = await setChatStage({ Moderator: ['strikes.read', 'strikes.write', 'bans.write', 'mutes.write'] });
});
afterAll(() => endChatStage(stage));
// All tests have one bot. How many conversations Discord lets it open in ten seconds is not their subject.
beforeEach(() => {
  stage.sandbox.control.limits({});
});

const sql = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);
const messagesTo = (userId: string) =>
  stage.sandbox.getState().dms.find(({ user_id }) => user_id === userId)?.messages ?? [];
const told = (name: string): string[] =>
  messagesTo(personOf(stage.sandbox, name)).map(({ content }) => content);
const untilTold = (name: string, wanted: number): Promise<string[]> =>
  stage.sandbox.until(() => told(name).length === wanted && told(name));
const noticeOf = (userId: string) =>
  stage.row<{ state: string }>(
    `SELECT n.state FROM target_notices n JOIN actions a ON a.id = n.action_id
     WHERE a.target_id = $1 AND n.state <> 'sending' ORDER BY n.began_at DESC LIMIT 1`,
    [userId],
  );
/** A person who has just joined and got no messages yet. */
function joiner(name: string): string {
  const { member } = stage.sandbox.control.members({ action: 'join', name }) as {
    member: { user: { id: string } };
  };
  return member.user.id;
}
/** The same, with whom the bot has a conversation. */
async function known(name: string): Promise<string> {
  const userId = joiner(name);
  await acquaint(stage, userId);
  return userId;
}
/**
 * Somebody new who was told of their ban. It waits two seconds for the message, in which a busy machine may not send it.
 * Then another one is banned.
 */
const toldOfBan = (name: string, ban: (userId: string) => Promise<unknown>): Promise<string> =>
  untilShown(async () => {
    const userId = await known(name);
    await ban(userId);
    const { state } = await noticeOf(userId);
    return ['told', 'withdrawn'].includes(state) ? userId : null;
  });
/** The final answer to a command, with its additions. */
const finallySays = async (
  command: string,
  options: Record<string, string>,
  line: RegExp,
): Promise<string> => {
  const answer = await stage.does({ type: 'command', user: 'moderator', command, options });
  return stage.sandbox.until((state) => {
    const { message } = state.interactions.find(({ id }) => id === answer.id) ?? {};
    return message !== undefined && message !== null && line.test(message.content) && message.content;
  });
};

test('whoever is struck, muted or banned is told what, why, for how long and how it ends, and not by whom', async () => {
  await stage.says('moderator', 'strike add', {
    user: 'troll',
    reason: 'Spam <@&1> @everyone',
    severity: 'major',
  });
  const [strike] = await untilTold('troll', 1);
  expect(strike).toBe(
    'You were given a major strike on **Harbourlight**.\nReason: Spam <@&1> @everyone\nIt stays on your record there until a moderator removes it.',
  );
  await stage.says('moderator', 'mute', { user: 'troll', reason: 'Loud', duration: '1d' });
  const [, mute] = await untilTold('troll', 2);
  await stage.row('SELECT FROM direct_channels WHERE user_id = $1', [personOf(stage.sandbox, 'troll')]);
  expect(mute).toMatch(
    /^You were muted on \*\*Harbourlight\*\* for 1 day\.\nReason: Loud\nIt ends by itself: <t:\d+:f>\.$/,
  );
  const banned = await toldOfBan('Banned Bea', (user) =>
    stage.says('moderator', 'ban', { user, reason: 'Enough' }),
  );
  expect(messagesTo(banned).map(({ content }) => content)).toEqual([
    'You were banned from **Harbourlight** permanently.\nReason: Enough\nIt does not end by itself; only a moderator can lift it.',
  ]);
  for (const message of [personOf(stage.sandbox, 'troll'), banned].flatMap(messagesTo)) {
    expect(message.mention_everyone).toBe(false);
    expect(message.content).not.toContain(personOf(stage.sandbox, 'moderator'));
  }
  // It was there before the ban was.
  const dm = stage.sandbox.getState().dms.find(({ user_id }) => user_id === banned)?.id;
  expect(order('PUT', `/bans/${banned}`)).toBeGreaterThan(order('POST', `/channels/${dm}/messages`));
});

test('people who are banned at the same time are all told, although Discord opens their conversations in turn', async () => {
  verifies('H30');
  stage.sandbox.control.addFault({
    method: 'POST',
    route: '/users/@me/channels',
    times: null,
    delay_ms: 250,
  });
  onTestFinished(() => void stage.sandbox.control.clearFaults());
  const isOpening = ({ path }: { path: string }) => path.endsWith('/users/@me/channels');
  const guests = await untilShown(async () => {
    const guests = [joiner('First guest'), joiner('Second guest')];
    const before = stage.sandbox.requests.length;
    await stage.says('moderator', 'warn', { user: joiner('Struck guest'), reason: 'Spam' });
    // This one is opened already, and two at a time are.
    await stage.sandbox.until(() => stage.sandbox.requests.slice(before).some(isOpening));
    await Promise.all(guests.map((user) => stage.says('moderator', 'ban', { user, reason: 'Raid' })));
    const openings = stage.sandbox.requests.slice(before).filter(isOpening);
    const isQuick = (userId: string) => {
      const opening = openings.find(
        ({ body }) => (body as { recipient_id?: string }).recipient_id === userId,
      );
      return (opening?.startedAtMs ?? Number.NaN) - requestAt('GET', `/members/${userId}`) < 1_000;
    };
    return guests.every(isQuick) ? guests : null;
  });
  for (const userId of guests) expect((await noticeOf(userId)).state).toBe('told');
});

test('the notice of a ban links the page where it is appealed, if the guild takes appeals of bans', async () => {
  verifies('appeals.link');
  const second = joiner('Muted');
  await sql(`INSERT INTO appeal_settings (guild_id, kinds, questions) VALUES ($1, '{ban}', '{"Why?"}')`, [
    stage.guildId,
  ]);
  onTestFinished(async () => void (await sql('DELETE FROM appeal_settings')));
  const first = await toldOfBan('Appealer', (user) =>
    stage.says('moderator', 'ban', { user, reason: 'Enough' }),
  );
  await stage.says('moderator', 'mute', { user: second, reason: 'Loud', duration: '1h' });
  const { id } = await stage.row<{ id: string }>(
    "SELECT id FROM actions WHERE target_id = $1 AND operation = 'bans.add'",
    [first],
  );
  const textTo = (userId: string) => stage.sandbox.until(() => messagesTo(userId)[0]?.content);
  expect(await textTo(first)).toMatch(new RegExp(`You can appeal this: https?://\\S+/appeal/${id}$`));
  expect(await textTo(second)).not.toContain('appeal');
});

/** The place of the last request of this kind among all. */
function order(method: string, part: string): number {
  return stage.sandbox.requests.findLastIndex((each) => each.method === method && each.path.includes(part));
}

/** When the latest such request reached Discord, in milliseconds of a clock that is never set. */
function requestAt(method: string, part: string): number {
  return stage.sandbox.requests[order(method, part)]?.startedAtMs ?? Number.NaN;
}

test('what the guild adds stands apart under its name, filled in once, and pings nobody', async () => {
  verifies('notices.own-words', 'notices.own-words.apart');
  const userId = joiner('Reader');
  const own = (words: string) =>
    sql('UPDATE guilds SET notice_words = $2, notice_colour = $3 WHERE id = $1', [
      stage.guildId,
      words,
      0x123456,
    ]);
  onTestFinished(async () => void (await own('')));
  const message = (place: number) => stage.sandbox.until(() => messagesTo(userId)[place]);
  await stage.says('moderator', 'mute', { user: userId, reason: 'Loud {server}', duration: '1h' });
  const plain = await message(0);
  expect(plain.embeds).toEqual([]);

  await own('{reason} until {until} on {server}, {appeal}\n<@&1> @everyone [Discord](https://evil.test)');
  await stage.says('moderator', 'mute', { user: userId, reason: 'Loud {server}', duration: '1h' });
  const added = await message(1);
  const withoutTime = (text: string) => text.replace(/<t:\d+:f>/, 'then');
  expect(withoutTime(added.content)).toBe(withoutTime(plain.content));
  expect(added.embeds).toEqual([
    expect.objectContaining({
      author: { name: 'From the moderators of Harbourlight' },
      description: expect.stringMatching(
        /^Loud \{server\} until <t:\d+:f> on Harbourlight, —\n<@&1> @everyone \[Discord\]\\\(https/,
      ),
      color: 0x123456,
    }),
  ]);
  expect(added.mention_everyone).toBe(false);

  // Longer than Discord takes.
  await own('{reason}'.repeat(120));
  await stage.says('moderator', 'strike add', { user: userId, reason: '_'.repeat(400), severity: 'minor' });
  expect((await message(2)).embeds[0]?.description?.length).toBe(4_096);

  // A name is no link that hides its address.
  const name = (text: string) => sql('UPDATE guilds SET name = $2 WHERE id = $1', [stage.guildId, text]);
  await name('[Discord support](https://evil.test)');
  onTestFinished(async () => void (await name('Harbourlight')));
  await stage.says('moderator', 'warn', { user: userId, reason: 'Spam' });
  expect((await message(3)).content).toContain('**[Discord support]\\(https://evil.test)**');
});

test('a moderator is told who could not be told, and what they did stands', async () => {
  const struck = await finallySays(
    'strike add',
    { user: 'quiet', reason: 'Rude', severity: 'minor' },
    /could not be told/,
  );
  expect(struck).toMatch(/^Done\. .*\n<@\d+> could not be told: they take no messages from the bot\.$/);
  const number = / \(case #(\d+)\)/.exec(struck)?.[1] ?? '';
  const removed = await stage.does({
    type: 'command',
    user: 'moderator',
    command: 'strike remove',
    options: { case: Number(number) },
  });
  const stranger = await finallySays('ban', { user: 'outsider', reason: 'Known' }, /could not be told/);
  expect(stranger).toMatch(/they are not a member of this server\.$/);
  // Nobody had to be notified of a withdrawn announcement.
  const answers = stage.sandbox.getState().interactions;
  expect(answers.find(({ id }) => id === removed.id)?.message?.content).toMatch(
    /^Done\. Remove #\d+ [^\n]*$/,
  );
  expect(stage.sandbox.getState().guilds[0]?.bans.map(({ user_id }) => user_id)).toContain(
    personOf(stage.sandbox, 'outsider'),
  );
});

test('who is no member is not told of a warning, though they share another server with the bot', async () => {
  const { otherGuildId, control } = stage.sandbox;
  const { member } = control.members({ action: 'join', name: 'Elsewhere Ed', guild_id: otherGuildId }) as {
    member: { user: { id: string } };
  };
  const userId = member.user.id;
  await acquaint(stage, userId);
  const warned = await finallySays('warn', { user: userId, reason: 'Buy coins' }, /could not be told/);
  expect(warned).toMatch(/they are not a member of this server\.$/);
  expect(await noticeOf(userId)).toEqual({ state: 'absent' });
  expect(messagesTo(userId)).toEqual([]);
});

test('while Discord does not say whether they are a member, they are not told, and later they are', async () => {
  const userId = await known('Doubtful Dot');
  const { control } = stage.sandbox;
  const route = `/guilds/*/members/${userId}`;
  control.addFault({ method: 'GET', route, status: 503, times: null });
  const { body } = await stage.act('warnings.add', 'moderator', { user_id: userId, reason: 'Spam' });
  const { id } = (body as { warning: { id: string } }).warning;
  await stage.row(
    'SELECT FROM graphile_worker.jobs WHERE key = $1 AND locked_at IS NULL AND run_at > clock_timestamp()',
    [`tell_target:${id}`],
  );
  expect(messagesTo(userId)).toEqual([]);
  control.clearFaults();
  await sql(
    "SELECT graphile_worker.add_job('tell_target', json_build_object('case_id', $1::text), job_key => $2)",
    [id, `tell_target:${id}`],
  );
  await stage.sandbox.until(() => messagesTo(userId).length === 1);
});

test('a server that the bot may not look into is not asked again and again whether they are a member', async () => {
  const userId = await known('Hidden Hal');
  const body = { message: 'Missing Access', code: 50001 };
  const { control } = stage.sandbox;
  control.addFault({ method: 'GET', route: `/guilds/*/members/${userId}`, status: 403, body, times: null });
  await stage.act('warnings.add', 'moderator', { user_id: userId, reason: 'Spam' });
  expect(await noticeOf(userId)).toEqual({ state: 'not_sent' });
  expect(messagesTo(userId)).toEqual([]);
  control.clearFaults();
});

test('a ban waits two seconds for its message, and no longer', async () => {
  const { control } = stage.sandbox;
  const userId = await untilShown(async () => {
    const userId = await known('Slow Sam');
    control.clearFaults();
    // Not a notice of an earlier test, which may be tried again at this moment.
    const contains = 'You were banned';
    control.addFault({ method: 'POST', route: '/channels/*/messages', contains, delay_ms: 60_000 });
    await stage.act('bans.add', 'moderator', { user_id: userId, reason: 'Spam' });
    const [lookedAt, sentAt] = [requestAt('GET', `/members/${userId}`), requestAt('POST', '/messages')];
    const bannedAt = requestAt('PUT', `/bans/${userId}`);
    // The two seconds begin before the message leaves, for which a busy machine may have no time in them.
    expect(bannedAt - lookedAt).toBeGreaterThan(1_900);
    return sentAt > lookedAt && bannedAt - sentAt < 6_000 ? userId : null;
  });
  expect(await noticeOf(userId)).toEqual({ state: 'unknown' });
});

test('nobody is told of a ban that the checks refuse', async () => {
  await expect(
    stage.act('bans.add', 'moderator', { user_id: personOf(stage.sandbox, 'admin'), reason: 'Coup' }),
  ).rejects.toThrow(/highest role/);
  expect(told('admin')).toEqual([]);
});

/** Discord refuses it, after the message was sent. */
async function banInVain(userId: string): Promise<void> {
  const body = { message: 'Missing Permissions', code: 50013 };
  stage.sandbox.control.addFault({ method: 'PUT', route: '/guilds/*/bans/*', status: 403, body });
  await expect(stage.act('bans.add', 'moderator', { user_id: userId, reason: 'Spam' })).rejects.toThrow(
    /permission/,
  );
}

test('the message about a ban that Discord then refuses is taken back', async () => {
  const userId = await toldOfBan('Lucky Lou', banInVain);
  await stage.row(
    "SELECT FROM target_notices n JOIN actions a ON a.id = n.action_id WHERE a.target_id = $1 AND n.state = 'withdrawn'",
    [userId],
  );
  expect(messagesTo(userId)).toEqual([]);
});

test('it is taken back also when Discord deletes no message for minutes', async () => {
  stage.sandbox.control.addFault({
    method: 'DELETE',
    route: '/channels/*/messages/*',
    status: 503,
    times: null,
  });
  const userId = await toldOfBan('Patient Pia', banInVain);
  // As after five attempts, which take a minute and a half.
  await stage.row(
    `UPDATE graphile_worker._private_jobs SET attempts = 5, run_at = now()
     WHERE key LIKE 'withdraw_announcement:%' AND attempts > 0 AND locked_at IS NULL RETURNING key`,
  );
  expect(messagesTo(userId)).toHaveLength(1);
  stage.sandbox.control.clearFaults();
  await stage.row(
    "SELECT FROM target_notices n JOIN actions a ON a.id = n.action_id WHERE a.target_id = $1 AND n.state = 'withdrawn'",
    [userId],
  );
  expect(messagesTo(userId)).toEqual([]);
});

test('who is banned is told although another guild, whose bans Discord refuses, has just told them of one', async () => {
  verifies('notices.known-limit');
  const elsewhere = await seedGuild(stage.test.database);
  const userId = await toldOfBan('Neighbour Ned', async (userId) => {
    await sql(
      `WITH refused AS (
         INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id,
           request_id, claim_by, state, error)
         VALUES ($1, 'bans.add', '{}', '', 'user', $3, 'chat', $2, 'req_limit', now(), 'failed',
           '{"code": "FORBIDDEN", "status": 403, "message": "", "details": {"reason": "TWO_FACTOR_REQUIRED"}}') RETURNING id)
       INSERT INTO target_notices (action_id, state) SELECT id, 'told' FROM refused`,
      [elsewhere.id, elsewhere.ownerId, userId],
    );
    await stage.act('bans.add', 'moderator', { user_id: userId, reason: 'Spam' });
  });
  expect(messagesTo(userId)).toHaveLength(1);
});

test('in the language of the guild, and once, however often the job runs', async () => {
  await sql("UPDATE guilds SET language = 'es' WHERE id = $1", [stage.guildId]);
  const userId = joiner('Pedro');
  const input = { user_id: userId, reason: 'Ruido', duration_minutes: 120 };
  const { body } = await stage.act('mutes.add', 'moderator', input);
  await noticeOf(userId);
  await sql(
    "SELECT graphile_worker.add_job('tell_target', json_build_object('case_id', $1::text), job_key => 'again')",
    [(body as { mute: { id: string } }).mute.id],
  );
  await stage.row(
    "SELECT count(*)::int AS jobs FROM graphile_worker.jobs WHERE task_identifier = 'tell_target'",
    [],
    (row: { jobs: number }) => row.jobs === 0,
  );
  const messages = messagesTo(userId);
  expect(messages).toHaveLength(1);
  expect(messages[0]?.content).toMatch(/^Se le ha silenciado en \*\*Harbourlight\*\* durante 2 horas\./);
});

test('where the guild tells nobody, nobody is told', async () => {
  await sql('UPDATE guilds SET notifies_targets = false WHERE id = $1', [stage.guildId]);
  const silent = joiner('Silent Sue');
  await stage.act('bans.add', 'moderator', { user_id: silent, reason: 'Spam' });
  expect(stage.sandbox.getState().dms.some(({ user_id }) => user_id === silent)).toBe(false);
  // Nor does the case of somebody who has left say that they would have been told as a member.
  const gone = joiner('Gone Gus');
  stage.sandbox.control.members({ action: 'leave', user: gone });
  await stage.act('bans.add', 'moderator', { user_id: gone, reason: 'Spam' });
  const notices = await sql(
    'SELECT n.state FROM target_notices n JOIN actions a ON a.id = n.action_id WHERE a.target_id = ANY ($1)',
    [[silent, gone]],
  );
  expect(notices.rows).toEqual([]);
  await sql("UPDATE guilds SET notifies_targets = true, language = 'en' WHERE id = $1", [stage.guildId]);
});

/** Discord takes no message any more that contains this, while the test runs. */
function block(contains: string): void {
  const body = { code: 240_000, message: 'Message blocked by harmful links filter' };
  const route = '/channels/*/messages';
  stage.sandbox.control.addFault({ method: 'POST', route, contains, status: 400, body, times: null });
  onTestFinished(() => void stage.sandbox.control.clearFaults());
}

test('whoever is banned for a link that Discord blocks is told without it, and how to appeal', async () => {
  await sql(
    `INSERT INTO appeal_settings (guild_id, kinds, questions) VALUES ($1, '{ban}', '{"Why?"}')
     ON CONFLICT (guild_id) DO UPDATE SET kinds = EXCLUDED.kinds`,
    [stage.guildId],
  );
  block('scam.test');
  const userId = await toldOfBan('Seller', (user_id) =>
    stage.act('bans.add', 'moderator', { user_id, reason: 'Sells at scam.test' }),
  );
  const [message] = messagesTo(userId).slice(-1);
  expect(message?.content).toMatch(
    /^You were banned from .*\nDiscord blocks what the moderators wrote,.*\nIt does not end by itself.*\n.*\/appeal\/act_\w+$/,
  );
  expect(message?.embeds).toEqual([]);
});

test('what Discord blocks also without the words of moderators is given up at once', async () => {
  block('Harbourlight');
  const userId = await known('Blocked');
  await stage.act('strikes.add', 'moderator', { user_id: userId, reason: 'Spam', severity: 'minor' });
  expect((await noticeOf(userId)).state).toBe('not_sent');
});

/** Makes the database refuse a change of notices, while the test runs. */
async function refuseNotices(change: 'INSERT' | 'UPDATE'): Promise<void> {
  await sql(
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space left'; END $$",
  );
  await sql(
    `CREATE TRIGGER refuse BEFORE ${change} ON target_notices FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  onTestFinished(async () => {
    await sql('DROP FUNCTION refuse CASCADE');
  });
}

test.each([
  ['before', 'INSERT', 0],
  ['after', 'UPDATE', 1],
] as const)(
  'a database that fails %s the message makes no ban uncertain',
  async (_when, change, messages) => {
    await refuseNotices(change);
    const userId = await untilShown(async () => {
      const userId = await known(`Certain ${change}`);
      const { body } = await stage.act('bans.add', 'moderator', { user_id: userId, reason: 'Spam' });
      expect(body).toMatchObject({ ban: { user_id: userId, active: true } });
      // In two seconds a busy machine may not send it. How it ended is not on record.
      const sent = messagesTo(userId).length;
      expect(sent).toBeLessThanOrEqual(messages);
      return sent === messages ? userId : null;
    });
    await stage.row("SELECT FROM actions WHERE target_id = $1 AND state = 'done'", [userId]);
  },
);

test('nor one that Discord then refuses: nobody was banned, and the moderator is told so', async () => {
  await refuseNotices('UPDATE');
  const userId = joiner('Certainly Not');
  stage.sandbox.control.addFault({ method: 'PUT', route: '/guilds/*/bans/*', status: 400 });
  await expect(stage.act('bans.add', 'moderator', { user_id: userId, reason: 'Spam' })).rejects.toThrow(
    /would refuse it again/,
  );
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND state = 'failed'", [userId]);
});

test('a message without a turn is tried again for an hour, the rarer the longer it waits, and never one that was sent', async () => {
  verifies('H30');
  const userId = joiner('Waiting Wanda');
  await stage.act('strikes.add', 'moderator', { user_id: userId, reason: 'Rude', severity: 'minor' });
  await noticeOf(userId);
  const { id, action_id } = await stage.row<{ id: string; action_id: string }>(
    'SELECT id, action_id FROM cases WHERE user_id = $1',
    [userId],
  );
  /** In how many seconds the message is tried again; null if it is not, and its claim stays. */
  const putOff = async (age: string, state = 'sending') => {
    await sql('UPDATE cases SET issued_at = now() - $2::interval WHERE id = $1', [id, age]);
    await sql(
      `INSERT INTO target_notices (action_id, state) VALUES ($1, $2::"TargetNoticeState")
       ON CONFLICT (action_id) DO UPDATE SET state = EXCLUDED.state`,
      [action_id, state],
    );
    const isPutOff = await putOffNotice(stage.test.database.pool, id);
    const { rows: jobs } = await sql(
      `DELETE FROM graphile_worker._private_jobs WHERE key = $1
       RETURNING extract(epoch FROM run_at - now())::float8 AS seconds`,
      [`tell_target:${id}`],
    );
    const { rows: claims } = await sql('SELECT FROM target_notices WHERE action_id = $1', [action_id]);
    expect(claims).toHaveLength(isPutOff ? 0 : 1);
    return isPutOff ? Math.round(jobs[0].seconds / 10) * 10 : null;
  };
  expect(await putOff('1 second')).toBe(20);
  expect(await putOff('4 minutes')).toBe(60);
  expect(await putOff('40 minutes')).toBe(600);
  expect(await putOff('61 minutes')).toBeNull();
  expect(await putOff('1 minute', 'told')).toBeNull();
});

/** Last, because the bot remembers a limit. */
test('nobody is told of a ban that a limit of Discord is known to keep back', async () => {
  verifies('notices.known-limit');
  // The bot has written to them before, so nothing but the limit keeps it from telling them.
  const userId = personOf(stage.sandbox, 'troll');
  const input = { user_id: userId, reason: 'Rude', severity: 'minor' };
  const { body } = await stage.act('strikes.add', 'moderator', input);
  await stage.row(
    `SELECT FROM target_notices n JOIN cases c ON c.action_id = n.action_id WHERE c.id = $1 AND n.state <> 'sending'`,
    [(body as { strike: { id: string } }).strike.id],
  );
  stage.sandbox.control.addFault({
    method: 'PUT',
    route: '/guilds/*/bans/*',
    // Longer than the callers of these tests wait.
    rate_limit: { retry_after: 300 },
  });
  const ban = (user_id: string) => refusalOf(stage.act('bans.add', 'moderator', { user_id, reason: 'Spam' }));
  const limited = { status: 503, details: { upstream: 'discord', outcome: 'not_performed' } };
  expect(await ban(joiner('First Fay'))).toMatchObject(limited);
  const dm = stage.sandbox.getState().dms.find(({ user_id }) => user_id === userId)?.id;
  const written = () =>
    stage.sandbox.requests.filter(({ path }) => path === `/channels/${dm}/messages`).length;
  const before = written();
  expect(before).toBeGreaterThan(0);
  expect(await ban(userId)).toMatchObject(limited);
  expect(written()).toBe(before);
});
