import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiError } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import {
  attachEvidence,
  evidenceOf,
  MOST_EVIDENCE_BYTES,
  messagesOf,
  settleEvidence,
} from '@bailiff/engine/cases/evidence';
import { ComponentType } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { OpenEvidence, withEvidence } from '#src/chat/evidence.ts';
import { createDiscordApi } from '#src/discord-api.ts';
import { fetchEvidence, fetchRemaining, fileOriginsOf, withinBounds } from '#src/evidence.ts';
import { createLog } from '#src/log.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
const { spoil } = chatGuildForEachTest(
  { Moderator: ['strikes.read', 'strikes.write', 'mutes.write', 'bans.read', 'bans.write'] },
  (next) => {
    stage = next;
  },
);

const base64 = (text: string) => Buffer.from(text).toString('base64');
const file = (filename: string, text: string) => ({ filename, base64: base64(text) });
/** The bot does not end. */
const running = new AbortController().signal;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const query = async (sql: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(sql, values)).rows;
const casesOf = (userId = '') =>
  query('SELECT id, case_number AS number FROM cases WHERE guild_id = $1 AND user_id = $2', [
    stage.guildId,
    userId,
  ]);

/** The whole answer, once nothing more is added to it. */
async function endsWith(answered: { id: string }, words: RegExp): Promise<string> {
  const text = () => {
    const { interactions } = stage.sandbox.getState();
    const found = interactions.find(({ id }) => id === answered.id);
    return [found?.message, ...(found?.responses ?? []).map(({ message }) => message)]
      .map((message) => message?.content ?? '')
      .join('\n');
  };
  await stage.sandbox.until(() => words.test(text()), 60_000, String(words));
  return text();
}

const command = (words: string, options: Record<string, string | { filename: string; base64: string }>) =>
  stage.does({ type: 'command', user: 'moderator', command: words, options });

/** A case without files. */
async function openedCase(): Promise<{ caseId: string; caseNumber: number }> {
  await stage.says('moderator', 'warn', { user: 'member2', reason: 'Spam' });
  const [{ id, number }] = await casesOf(stage.people.member2);
  return { caseId: id, caseNumber: number };
}

test.each([
  ['warn', { reason: 'Spam' }],
  ['strike add', { reason: 'Spam', severity: 'minor' }],
  ['mute', { reason: 'Spam', duration: '1h' }],
  ['ban', { reason: 'Spam' }],
  ['kick', { reason: 'Spam' }],
])('/%s keeps the files that are given to it with its case, and says where', async (words, options) => {
  verifies('evidence.command');
  const { troll = '' } = stage.people;
  const answered = await command(words, {
    user: 'troll',
    ...options,
    evidence: file('picture one.png', '\x89PNG'),
    'evidence-3': file('chat.log', 'line'),
  });
  expect(answered.message?.content).toMatch(/^Done\./);
  const told = await endsWith(answered, /The 2 attached files are kept with the case: \S+/);
  const [{ id, number }] = await casesOf(troll);
  expect(told).toContain(`${stage.engine.dashboardUrl}/guilds/${stage.guildId}/cases/${number}`);
  expect(await evidenceOf(stage.engine.db, id)).toMatchObject([
    { name: 'picture one.png', sha256: sha256('\x89PNG'), problem: null, media_type: null },
    { name: 'chat.log', sha256: sha256('line'), size_bytes: 4, problem: null },
  ]);
  const [{ content }] = await query("SELECT content FROM evidence WHERE case_id = $1 AND name = 'chat.log'", [
    id,
  ]);
  expect(String(content)).toBe('line');
});

test('a file that is too large is refused before anything is done', async () => {
  verifies('evidence.bounds');
  const large = { filename: 'film.mp4', base64: Buffer.alloc(MOST_EVIDENCE_BYTES + 1).toString('base64') };
  const answered = await command('ban', { user: 'troll', reason: 'Spam', evidence: large });
  expect(answered.message?.content).toMatch(
    /^Not done\. "film\.mp4" has 8\u00a0MB, and at most 8\u00a0MB are kept\. Attach a smaller file/,
  );
  expect(await casesOf(stage.people.troll)).toEqual([]);
  expect(stage.sandbox.getState().guilds[0]?.bans).toEqual([]);
});

test('files of who may not do it, and of what is refused, are not kept', async () => {
  verifies('evidence.refused');
  const left = async () => query('SELECT FROM evidence'); // in every guild
  const give = (words: string, user: string) =>
    command(words, { user, reason: 'Spam', evidence: file('a.txt', 'a') });
  const above = await give('ban', 'owner');
  expect(above.message?.content).toMatch(/^Not done\. .*own/);
  expect(await left()).toEqual([]);
  await query('DELETE FROM role_grants WHERE guild_id = $1', [stage.guildId]);
  for (const words of ['warn', 'ban', 'kick', 'softban']) {
    const denied = await give(words, 'troll');
    expect(denied.message?.content).toMatch(/^Not done\. .*needs/);
    expect(await left()).toEqual([]);
  }
});

test('why a command was refused is said although the database does not delete its files', async () => {
  verifies('evidence.refused');
  await query(
    `CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE query_canceled; END $$`,
  );
  await query(
    'CREATE TRIGGER refused BEFORE DELETE ON evidence FOR EACH ROW EXECUTE FUNCTION refuse_deletion()',
  );
  spoil();
  const given = { user: 'owner', reason: 'Spam', evidence: file('a.txt', 'a') };
  const refused = await command('ban', given);
  expect(refused.message?.content).toMatch(/^Not done\. .*own/);
  expect(await query('SELECT FROM evidence')).toHaveLength(1);
});

test('files beyond the room of a guild are named with the case, and not kept', async () => {
  verifies('evidence.bounds');
  const { caseId } = await openedCase();
  await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes, content) VALUES ($1, $2, 'all', 536870908, '')",
    [stage.guildId, caseId],
  );
  // A file that was not kept takes no room, however large it was.
  await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes, problem) VALUES ($1, $2, 'lost', 400, 'unread')",
    [stage.guildId, caseId],
  );
  // Four bytes are left of 512 MB.
  const answered = await command('warn', {
    user: 'troll',
    reason: 'Spam',
    evidence: file('small.txt', 'fits'),
    'evidence-2': file('large.txt', 'does not fit any more'),
  });
  await endsWith(answered, /attached file is kept.*not kept: this server has no room left for evidence/);
  const [{ id }] = await casesOf(stage.people.troll);
  expect(await evidenceOf(stage.engine.db, id)).toMatchObject([
    { name: 'small.txt', problem: null },
    { name: 'large.txt', problem: 'full', sha256: null, size_bytes: 21 },
  ]);
});

test('the files of a message that somebody is struck for wait with the strike for its button', async () => {
  verifies('evidence.message');
  await query('INSERT INTO escalation_policies (guild_id) VALUES ($1)', [stage.guildId]);
  await query(
    "INSERT INTO escalation_steps (guild_id, points, sanction, duration_minutes) VALUES ($1, 1, 'mute', 5)",
    [stage.guildId],
  );
  const [message] = stage.sandbox.control.messages({
    user: 'troll',
    content: 'look',
    files: [file('a.png', 'a')],
  }).messages;
  const opened = await stage.picks('moderator', 'Strike for this message', message?.id ?? '');
  const asked = await stage.does({
    type: 'modal',
    user: 'moderator',
    interaction_id: opened.id,
    fields: { severity: ['minor'], reason: 'Gore' },
  });
  expect(asked.message?.content).toMatch(/leads to a mute for 5 minutes/);
  expect(await casesOf(stage.people.troll)).toEqual([]);
  const [row] = (asked.message?.components ?? []) as { components: { custom_id: string }[] }[];
  const pressed = await stage.does({
    type: 'button',
    user: 'moderator',
    message_id: asked.message?.id ?? '',
    custom_id: row?.components[0]?.custom_id ?? '',
  });
  await endsWith(pressed, /muted for 5 minutes.*\n.*The attached file is kept/s);
  const [{ name, problem }] = await query('SELECT name, problem FROM evidence WHERE guild_id = $1', [
    stage.guildId,
  ]);
  expect([name, problem]).toEqual(['a.png', null]);
});

test('a case says which message it is about, with a link and what it said, also once it is deleted', async () => {
  verifies('evidence.case-message');
  const { sandbox, people, guildId, engine } = stage;
  const log = sandbox.channels.mod_log;
  await query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [guildId, log]);
  const [message] = sandbox.control.messages({
    user: 'troll',
    content: 'you *all* stink',
    files: [file('a.png', 'a')],
  }).messages;
  const opened = await stage.picks('moderator', 'Ban for this message', message?.id ?? '');
  const banned = await stage.does({
    type: 'modal',
    user: 'moderator',
    interaction_id: opened.id,
    fields: { reason: 'Insult', delete_messages: ['86400'] },
  });
  await endsWith(banned, /The attached file is kept/);
  const [{ id, number }] = await casesOf(people.troll);
  const link = `https://discord.com/channels/${guildId}/${message?.channel_id}/${message?.id}`;
  expect(await messagesOf(engine.db, id)).toMatchObject([
    { message_id: message?.id, author_id: people.troll, text: 'you *all* stink' },
  ]);
  expect(await stage.says('moderator', 'case show', { number })).toContain(`About ${link}`);
  const posted = () =>
    JSON.stringify(
      sandbox.getState().guilds.map(({ channels }) => channels.find((each) => each.id === log)?.messages),
    );
  await sandbox.until(() => posted().includes('1 file is kept'), 180_000, 'the post with its evidence');
  expect(posted()).toContain(link);
});

test('a case about a forward says what was forwarded, and keeps its files', async () => {
  verifies('evidence.case-message', 'evidence.link');
  const { people, engine } = stage;
  const { control } = stage.sandbox;
  const [message] = control.messages({
    user: 'member2',
    content: 'you all stink',
    files: [file('a.png', 'a')],
  }).messages;
  const [forward] = control.messages({ user: 'troll', forward: message?.id ?? '' }).messages;
  const opened = await stage.picks('moderator', 'Warn for this message', forward?.id ?? '');
  const warned = await stage.does({
    type: 'modal',
    user: 'moderator',
    interaction_id: opened.id,
    fields: { reason: 'Insult' },
  });
  await endsWith(warned, /The attached file is kept/);
  await stage.row("SELECT FROM cases WHERE reason LIKE '%you all stink%[1 attached]%'");
  await command('warn', { user: 'troll', reason: 'Insult', 'message-link': linkOf(forward) });
  const cases = await casesOf(people.troll);
  expect(cases).toHaveLength(2);
  for (const { id } of cases) {
    const text = expect.stringContaining('you all stink');
    expect(await messagesOf(engine.db, id)).toMatchObject([{ message_id: forward?.id, text }]);
  }
  await stage.row("SELECT FROM evidence WHERE name = 'a.png' AND content IS NOT NULL HAVING count(*) = 2");
});

test('a case about a message that a bot laid out in components says what stood there', async () => {
  verifies('evidence.case-message', 'evidence.link');
  const { people, engine, sandbox } = stage;
  const components = [{ type: ComponentType.TextDisplay, content: 'you all stink' }];
  const [said] = sandbox.control.messages({ user: 'troll', answers: 'member2', components }).messages;
  const opened = await stage.picks('moderator', 'Warn for this message', said?.id ?? '');
  await stage.does({
    type: 'modal',
    user: 'moderator',
    interaction_id: opened.id,
    fields: { reason: 'Insult' },
  });
  await command('warn', { user: 'troll', reason: 'Insult', 'message-link': linkOf(said) });
  const cases = await casesOf(people.troll);
  expect(cases).toHaveLength(2);
  for (const { id } of cases) {
    expect(await messagesOf(engine.db, id)).toMatchObject([{ message_id: said?.id, text: 'you all stink' }]);
  }
});

test('a message is read again for a form that was opened before the bot started anew, and of too many forms for the oldest', async () => {
  verifies('evidence.crash');
  const { sandbox, config } = stage;
  const api = createDiscordApi({
    token: config.discordToken,
    apiUrl: config.discordApiUrl,
    log: createLog('silent', []),
  });
  const { messages } = sandbox.control.messages({ user: 'troll', content: 'then', count: 2 });
  const [first, second] = messages.map(({ id, channel_id: channelId, author }) => ({
    id,
    channelId,
    author,
  }));
  if (first === undefined || second === undefined) throw new Error('There are no two messages.');
  const open = new OpenEvidence();
  const { moderator = '' } = stage.people;
  const formOf = (key = '') => ({
    guildId: stage.guildId,
    key,
    authorId: second.author.id,
    userId: moderator,
  });
  const keys = [first, second].map((message) => open.keep(message, { text: 'now', files: [] }, moderator));
  const opens = (id: number, by: string) =>
    open.keep({ ...second, id: String(id) }, { text: '', files: [] }, by);
  // One other person takes few places, and many people take all.
  for (let n = 0; n < 499; n += 1) opens(n, 'other');
  const kept = (key = '') => open.of({ engine: stage.engine, api, botUserId: sandbox.clientId }, formOf(key));
  expect((await kept(keys[0])).messages[0]?.text).toBe('now');
  for (let n = 0; n < 494; n += 1) opens(n, String(n));
  const textOf = async (key = '') => (await kept(key)).messages[0]?.text;
  expect(await textOf(keys[1])).toBe('now');
  expect(await textOf(keys[0])).toBe('then 1');
  const isGone = async (key = '') => (await kept(key)).isGone;
  expect([await isGone(keys[0]), await isGone(keys[1])]).toEqual([false, false]);
  // Discord shows a bot without the intent an empty text.
  sandbox.control.application({ message_content: false });
  onTestFinished(() => void sandbox.control.application({ message_content: true }));
  expect(await textOf(keys[0])).toBeNull();
  expect(await isGone(keys[0])).toBe(false);
  sandbox.control.messages({ action: 'delete', user: 'troll', message_id: first.id });
  expect(await isGone(keys[0])).toBe(true);
});

/** Sends a form of a moderator as a changed client can: it is about another message than the one it was opened on. */
async function forged(opened: { id: string }, key: string, user = 'moderator') {
  const fields = { reason: 'Spam' };
  const custom_id = `form:warnings.add:${stage.people.troll}:${key}`;
  return stage.does({ type: 'modal', user, interaction_id: opened.id, custom_id, fields });
}

test('a form that names another message than its own gets no text that the moderator cannot read, and none of another author', async () => {
  verifies('evidence.link');
  const { sandbox, engine, people } = stage;
  const { control, otherGuildId } = sandbox;
  control.channels({ action: 'create', name: 'owners' });
  for (const name of ['moderator', 'Moderator'])
    control.channels({ action: 'update', channel: 'owners', overwrite: { of: name, deny: ['ViewChannel'] } });
  const written = (request: Parameters<typeof control.messages>[0]) =>
    control.messages({ content: 'secret', files: [file('a.txt', 'a')], ...request }).messages[0];
  control.members({ action: 'join', user: 'troll', guild_id: otherGuildId });
  const messages = [
    written({ user: 'troll', channel: 'owners' }),
    written({ user: 'troll', guild_id: otherGuildId }),
    written({ user: 'member2' }),
  ];
  for (const message of messages) {
    const opened = await stage.picks(
      'moderator',
      'Warn for this message',
      written({ user: 'troll' })?.id ?? '',
    );
    const warned = await forged(opened, `${message?.channel_id}-${message?.id}`);
    expect(await endsWith(warned, /was deleted before|is kept with/)).toMatch(/^Done\..*was deleted before/s);
  }
  const cases = await casesOf(people.troll);
  const kept = await Promise.all(cases.map(({ id }) => messagesOf(engine.db, id)));
  expect(kept.flat().map(({ text }) => text)).toEqual([null, null, null]);
  expect(await query('SELECT FROM evidence')).toEqual([]);
});

test('a form that names a report counts only for who may read reports, and for whom the report is about', async () => {
  verifies('evidence.link');
  const { sandbox, people, engine, guildId } = stage;
  await query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [guildId, sandbox.channels.mod_log]);
  const message = (user: string) =>
    sandbox.control.messages({ user, content: 'secret', files: [file('a.txt', 'a')] }).messages[0]?.id ?? '';
  const reporting = await stage.picks('member', 'Report this message', message('member2'));
  await stage.fills('member', reporting, { reason: 'Insults' });
  const [{ id: reportId }] = await query('SELECT id FROM reports WHERE guild_id = $1', [guildId]);
  const opened = await stage.picks('moderator', 'Warn for this message', message('troll'));
  expect((await forged(opened, reportId)).message?.content).toMatch(/^Not done\. .*needs/);
  expect(await casesOf(people.troll)).toEqual([]);
  const byOwner = await stage.picks('owner', 'Warn for this message', message('troll'));
  expect((await forged(byOwner, reportId, 'owner')).message?.content).toMatch(/^Done\./);
  const [{ id }] = await casesOf(people.troll);
  expect([await messagesOf(engine.db, id), await evidenceOf(engine.db, id)]).toEqual([[], []]);
});

test('Discord is asked for no message for a form of who may not do it', async () => {
  verifies('evidence.refused');
  const { sandbox, guildId } = stage;
  await query('UPDATE guilds SET reports_channel_id = $2 WHERE id = $1', [guildId, sandbox.channels.mod_log]);
  const [message] = sandbox.control.messages({ user: 'troll', content: 'Spam' }).messages;
  const opened = await stage.picks('member', 'Report this message', message?.id ?? '');
  const read = () =>
    sandbox.requests.filter(({ path }) => path.startsWith(`/channels/${message?.channel_id}`));
  const before = read().length;
  const denied = await forged(opened, `${message?.channel_id}-${message?.id}`, 'member');
  expect(denied.message?.content).toMatch(/^Not done\. .*needs/);
  expect(read()).toHaveLength(before);
});

test('a message is kept for the form of each who opened one about it, whatever others open since', async () => {
  verifies('evidence.crash');
  const { sandbox, engine, config } = stage;
  const api = createDiscordApi({
    token: config.discordToken,
    apiUrl: config.discordApiUrl,
    log: createLog('silent', []),
  });
  const [message] = sandbox.control.messages({ user: 'troll', content: 'You are all idiots' }).messages;
  if (message === undefined) throw new Error('There is no message.');
  const { id, channel_id: channelId, author } = message;
  const open = new OpenEvidence();
  const opens = (by: string, messageId = id) =>
    open.keep({ id: messageId, channelId, author }, { text: 'You are all idiots', files: [] }, by);
  const key = opens('moderator');
  opens('helper');
  for (let other = 0; other < 5; other += 1) opens('helper', String(other));
  sandbox.control.messages({ action: 'delete', user: 'troll', message_id: id });
  const formOf = (userId: string) => ({ guildId: stage.guildId, key, authorId: author.id, userId });
  const deps = { engine, api, botUserId: sandbox.clientId };
  expect(await open.of(deps, formOf('moderator'))).toMatchObject({
    messages: [{ messageId: id, text: 'You are all idiots' }],
    isGone: false,
  });
});

/** A host that is not Discord's. */
async function hostOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('files are fetched from Discord alone, in good measure and without a detour, and what is missing is on record', async () => {
  verifies('evidence.bounds', 'H27');
  const { engine, sandbox } = stage;
  let asked = 0;
  const origin = await hostOf((request, response) => {
    asked += 1;
    if (request.url === '/away') response.writeHead(302, { Location: sandbox.url }).end();
    else if (request.url === '/busy') response.writeHead(429).end();
    else if (request.url === '/broken') response.writeHead(503).end();
    else if (request.url === '/gone') response.writeHead(404).end();
    else if (request.url === '/endless') {
      const flow = () => {
        while (response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', flow);
      flow();
    } else response.end('secret');
  });
  const opened = await openedCase();
  const keep = async (fileOrigins: string[], ...files: { path: string; bytes: number }[]) => {
    const found = files.map(({ path, bytes }) => ({
      url: `${origin}${path}`,
      name: `a\u0000${path}`,
      bytes,
    }));
    const about = { guildId: stage.guildId, caseId: opened.caseId, messages: [], files: withinBounds(found) };
    const { waiting } = await attachEvidence(engine.db, about);
    return fetchEvidence({ db: engine.db, fileOrigins, log: createLog('silent', []) }, waiting, running);
  };
  const none = { kept: 0, tooLarge: 0, unread: 0, full: 0, later: 0 };
  expect(await keep([new URL(sandbox.url).origin], { path: '/', bytes: 1 })).toEqual({ ...none, unread: 1 });
  expect(asked).toBe(0);
  expect(await keep([origin], { path: '/away', bytes: 1 }, { path: '/endless', bytes: 1 })).toEqual({
    ...none,
    unread: 2,
  });
  expect(await keep([origin], { path: '/', bytes: MOST_EVIDENCE_BYTES + 1 })).toEqual(none);
  expect(asked).toBe(2);
  const found = await evidenceOf(engine.db, opened.caseId);
  // Who is busy for now is asked again later.
  const passing = ['/busy', '/broken', '/gone'].map((path) => ({ path, bytes: 1 }));
  expect(await keep([origin], ...passing)).toEqual({ ...none, unread: 1, later: 2 });
  expect(fileOriginsOf('https://discord.com/api')).toEqual([
    'https://cdn.discordapp.com',
    'https://media.discordapp.net',
  ]);
  expect(found.map(({ name, problem, sha256: digest }) => [name, problem, digest])).toEqual([
    ['a\ufffd/', 'unread', null],
    ['a\ufffd/away', 'unread', null],
    ['a\ufffd/endless', 'unread', null],
    ['a\ufffd/', 'too_large', null],
  ]);
});

test('a ban waits for its files for a time, and not until everything else is kept', async () => {
  verifies('menus.ban-deletes');
  const { engine } = stage;
  const opened = await openedCase();
  const banned = Promise.withResolvers<void>();
  const origin = await hostOf((_request, response) => void banned.promise.then(() => response.end('proof')));
  const { kept } = await withEvidence(
    { engine, fileOrigins: [origin], log: createLog('silent', []), closing: running },
    {
      guildId: stage.guildId,
      requestId: newRequestId(),
      locale: 'en',
      evidence: { messages: [], files: [{ url: `${origin}/`, name: 'a', bytes: 5 }], isGone: false },
      fetchFirstMs: 50,
    },
    async () => {
      banned.resolve();
      return { body: { ban: { id: opened.caseId, case_number: 1, user_id: stage.people.troll } } };
    },
  );
  expect(await kept).toMatch(/^The attached file is kept with the case: http/);
});

test.each([
  ['a case', 0, /^1 attached file could not be fetched from Discord yet/, null],
  ['a ban that may delete its message', 60_000, /^The attached file is kept/, sha256('proof')],
])('a bot that ends leaves the file of %s to its next start only if it will be there', async (...how) => {
  verifies('evidence.crash');
  const [, fetchFirstMs, told, kept] = how;
  const { engine, guildId, people } = stage;
  const opened = await openedCase();
  const origin = await hostOf((_request, response) => void response.end('proof'));
  const log = createLog('silent', []);
  let actionId = '';
  const answered = await withEvidence(
    { engine, fileOrigins: [origin], log, closing: AbortSignal.abort() },
    {
      guildId,
      requestId: newRequestId(),
      locale: 'en',
      evidence: { messages: [], files: [{ url: `${origin}/`, name: 'a', bytes: 5 }], isGone: false },
      fetchFirstMs,
    },
    async (given = '') => {
      actionId = given;
      return { body: { ban: { id: opened.caseId, case_number: 1, user_id: people.troll } } };
    },
  );
  expect(await answered.kept).toMatch(told);
  const found = () =>
    query('SELECT encode(sha256, $2) AS sha256 FROM evidence WHERE action_id = $1', [actionId, 'hex']);
  expect(await found()).toEqual([{ sha256: kept }]);
  await fetchRemaining({ db: engine.db, fileOrigins: [origin], log }, actionId, running);
  expect(await found()).toEqual([{ sha256: sha256('proof') }]);
});

test('a file is kept for a ban that may still come, although its command could not say what became of it', async () => {
  verifies('evidence.refused', 'evidence.crash');
  const { engine, guildId, people } = stage;
  const origin = await hostOf((_request, response) => void response.end('proof'));
  let ban = async (): Promise<unknown> => undefined;
  const answered = withEvidence(
    { engine, fileOrigins: [origin], log: createLog('silent', []), closing: running },
    {
      guildId,
      requestId: newRequestId(),
      locale: 'en',
      evidence: { messages: [], files: [{ url: `${origin}/`, name: 'a', bytes: 5 }], isGone: false },
      fetchFirstMs: 60_000,
    },
    async (actionId) => {
      ban = () =>
        performForPerson(engine, {
          operation: 'bans.add',
          input: { user_id: people.troll ?? '', reason: 'Spam' },
          guildId,
          actor: { source: 'chat', userId: people.moderator ?? '' },
          requestId: newRequestId(),
          address: null,
          actionId,
        });
      const details = { upstream: 'bot', outcome: 'unknown', action_id: String(actionId) } as const;
      throw new ApiError('UPSTREAM_UNAVAILABLE', 'The bot may have done it.', { details });
    },
  );
  await expect(answered).rejects.toThrow('The bot may have done it.');
  await ban();
  const [{ id }] = await casesOf(people.troll);
  expect(await evidenceOf(engine.db, id)).toMatchObject([{ name: 'a', sha256: sha256('proof') }]);
});

test('/case show names the files, the linked cases and what was changed', async () => {
  verifies('cases.show');
  const { caseNumber } = await openedCase();
  const answered = await command('strike add', {
    user: 'troll',
    reason: 'First *words*',
    severity: 'minor',
    evidence: file('chat_log.txt', 'line'),
  });
  await endsWith(answered, /is kept with the case/);
  const [{ number }] = await casesOf(stage.people.troll);
  await stage.says('moderator', 'case edit', { case: number, reason: 'Better words' });
  await stage.says('moderator', 'strike severity', { case: number, severity: 'major' });
  await stage.says('moderator', 'case link', { case: number, other: caseNumber });
  const shown = await stage.says('moderator', 'case show', { number });
  expect(shown).toContain(`Linked with #${caseNumber}\nEvidence: "chat\\_log.txt" (1\u00a0KB)`);
  expect(shown).toMatch(
    /\nChanged by <@\d+>, <t:\d+:f>\. Severity before: minor\nChanged by <@\d+>, <t:\d+:f>\. Reason before: "First \\\*words\\\*"$/,
  );
});

/** Bans with a file, as the chat of a bot does that ends at a moment. Returns what it had to fetch. */
async function bannedWithFile(url: string) {
  const { engine, guildId, people } = stage;
  const { troll = '', moderator = '' } = people;
  const files = withinBounds([{ url, name: 'proof.txt', bytes: 5 }]);
  const message = { channelId: '1', messageId: '222222222222222222', authorId: troll, text: 'rude' };
  const attached = await attachEvidence(engine.db, { guildId, messages: [message], files });
  const ban = () =>
    performForPerson(engine, {
      operation: 'bans.add',
      input: { user_id: troll, reason: 'Spam' },
      guildId,
      actor: { source: 'chat', userId: moderator },
      requestId: newRequestId(),
      address: null,
      actionId: attached.actionId,
    });
  return { ...attached, ban };
}

test('a file is kept although the bot ends between the case and its fetching, and Discord stays silent for a while', async () => {
  verifies('evidence.crash');
  const { engine } = stage;
  let answers = 503;
  const origin = await hostOf((_request, response) => {
    response.statusCode = answers;
    response.end('proof');
  });
  const deps = { db: engine.db, fileOrigins: [origin], log: createLog('silent', []) };
  const { actionId, ban } = await bannedWithFile(`${origin}/`);
  await ban();
  const [{ id }] = await casesOf(stage.people.troll);
  const file = async () => (await evidenceOf(engine.db, id))[0];
  expect(await file()).toMatchObject({ name: 'proof.txt', fetching: true, problem: null, sha256: null });
  expect(await messagesOf(engine.db, id)).toMatchObject([{ text: 'rude', author_id: stage.people.troll }]);
  // The job that was added before the case: another process does it.
  const due = async () =>
    query('SELECT run_at > now() AS later FROM graphile_worker.jobs WHERE key = $1', [
      `fetch_evidence:${actionId}`,
    ]);
  expect(await due()).toEqual([{ later: true }]);
  await query("UPDATE evidence SET attached_at = attached_at - interval '59 minutes' WHERE action_id = $1", [
    actionId,
  ]);
  await fetchRemaining(deps, actionId, running);
  expect(await file()).toMatchObject({ fetching: true });
  expect(await due()).toEqual([{ later: true }]);
  answers = 200;
  await query("UPDATE evidence SET attached_at = attached_at - interval '2 minutes' WHERE action_id = $1", [
    actionId,
  ]);
  // The bot ends: its next start fetches it.
  await fetchRemaining(deps, actionId, AbortSignal.abort());
  expect(await file()).toMatchObject({ fetching: true });
  expect(await due()).toEqual([{ later: true }]);
  await fetchRemaining(deps, actionId, running);
  expect(await file()).toMatchObject({ fetching: false, problem: null, sha256: sha256('proof') });
  // Two at once, or a second time: it stays as it is.
  answers = 404;
  await fetchRemaining(deps, actionId, running);
  expect(await file()).toMatchObject({ sha256: sha256('proof') });
  const fileId = (await file())?.id ?? '';
  expect(await settleEvidence(engine.db, fileId, 'unread')).toBeNull();
  expect(await file()).toMatchObject({ problem: null, sha256: sha256('proof') });
});

test('files that Discord is slow to hand over keep no notice waiting, and are asked for one after the other', async () => {
  verifies('bot.fairness', 'evidence.crash');
  const { sandbox, engine, guildId, people } = stage;
  const held = sandbox.control.addFault({ route: '/files/slow', held: true, times: null });
  const files = withinBounds([{ url: `${sandbox.apiUrl}/files/slow`, name: 'proof.txt', bytes: 5 }]);
  const about = { channelId: '1', authorId: people.troll ?? '', text: 'rude' };
  for (const messageId of ['1', '2', '3']) {
    await attachEvidence(engine.db, { guildId, messages: [{ ...about, messageId }], files });
  }
  const OF_FILES = "FROM graphile_worker._private_jobs WHERE key LIKE 'fetch_evidence:%'";
  await query(`WITH due AS (SELECT id ${OF_FILES}) UPDATE graphile_worker._private_jobs SET run_at = now()
    WHERE id IN (SELECT id FROM due)`);
  await stage.row(`SELECT ${OF_FILES} AND (locked_at IS NOT NULL OR run_at > now()) HAVING count(*) = 3`);
  await sandbox.until(() => sandbox.requests.some(({ fault }) => fault === held.id));
  await stage.says('moderator', 'warn', { user: 'helper', reason: 'Be friendly' });
  await sandbox.until(({ dms }) => dms.some(({ user_id }) => user_id === people.helper));
  // One that is given up meanwhile is followed by the next.
  const underWay = sandbox.requests.filter(({ fault, status }) => fault === held.id && status === null);
  expect(underWay.length).toBeLessThanOrEqual(1);
  sandbox.control.clearFaults();
  await stage.row('SELECT FROM evidence WHERE guild_id = $1 AND url IS NULL HAVING count(*) = 3', [guildId]);
});

test('of the files of a case ten are kept, as long as they fit into its room, and of each what has the size', () => {
  const problems = (...sizes: number[]) =>
    withinBounds(sizes.map((bytes, n) => ({ url: 'https://cdn.discordapp.com/x', name: `${n}`, bytes }))).map(
      ({ problem }) => problem,
    );
  expect(problems(...Array.from({ length: 11 }, () => 1))).toHaveLength(10);
  expect(problems(MOST_EVIDENCE_BYTES, MOST_EVIDENCE_BYTES + 1)).toEqual([null, 'too_large']);
  const four = Array.from({ length: 4 }, () => MOST_EVIDENCE_BYTES);
  expect(problems(...four, 1)).toEqual([null, null, null, null, 'too_large']);
});

test('a file that Discord does not hand over within an hour is given up, and its case says so', async () => {
  verifies('evidence.crash');
  const origin = await hostOf((_request, response) => {
    response.statusCode = 503;
    response.end();
  });
  const deps = { db: stage.engine.db, fileOrigins: [origin], log: createLog('silent', []) };
  const { actionId, ban } = await bannedWithFile(`${origin}/`);
  await ban();
  await query("UPDATE evidence SET attached_at = attached_at - interval '61 minutes' WHERE action_id = $1", [
    actionId,
  ]);
  await fetchRemaining(deps, actionId, running);
  const [{ number }] = await casesOf(stage.people.troll);
  const shown = await stage.says('moderator', 'case show', { number });
  expect(shown).toContain('Evidence: "proof.txt" (not kept)');
  expect(shown).toContain(`About https://discord.com/channels/${stage.guildId}/1/222222222222222222`);
});

test('what was attached to an action that opened no case is not shown anywhere', async () => {
  verifies('evidence.crash');
  await bannedWithFile('https://cdn.discordapp.com/x');
  await stage.says('moderator', 'ban', { user: 'troll', reason: 'Spam' });
  const [{ id }] = await casesOf(stage.people.troll);
  expect(await evidenceOf(stage.engine.db, id)).toEqual([]);
  expect(await messagesOf(stage.engine.db, id)).toEqual([]);
});

test('what was attached in another guild under the id of an action joins no case of that action', async () => {
  verifies('evidence.crash');
  const { engine, people } = stage;
  await query(
    "INSERT INTO guilds (id, name, owner_id, tier) VALUES ('399999999999999999', 'Elsewhere', '1', 'free')",
  );
  spoil();
  const { actionId, ban } = await bannedWithFile('https://cdn.discordapp.com/x');
  await attachEvidence(engine.db, {
    guildId: '399999999999999999',
    actionId,
    messages: [
      { channelId: '1', messageId: '333333333333333333', authorId: people.troll ?? '', text: 'forged' },
    ],
    files: withinBounds([{ url: 'https://cdn.discordapp.com/y', name: 'forged.txt', bytes: 5 }]),
  });
  await ban();
  const [{ id }] = await casesOf(people.troll);
  expect(await evidenceOf(engine.db, id)).toMatchObject([{ name: 'proof.txt' }]);
  expect(await messagesOf(engine.db, id)).toMatchObject([{ text: 'rude' }]);
});

const linkOf = (message: { id: string; channel_id: string } | undefined, guildId = stage.guildId) =>
  `https://discord.com/channels/${guildId}/${message?.channel_id}/${message?.id}`;

test('the message of a link is kept with the case, with its text and files', async () => {
  verifies('evidence.link');
  const { sandbox, people, engine } = stage;
  const [message] = sandbox.control.messages({
    user: 'member2',
    content: 'what troll sent me',
    files: [file('letter.txt', 'letter')],
  }).messages;
  const answered = await command('warn', {
    user: 'troll',
    reason: 'Spam',
    'message-link': ` ${linkOf(message)} `,
  });
  await endsWith(answered, /The attached file is kept/);
  const [{ id }] = await casesOf(people.troll);
  expect(await messagesOf(engine.db, id)).toMatchObject([
    { message_id: message?.id, author_id: people.member2, text: 'what troll sent me' },
  ]);
  expect(await evidenceOf(engine.db, id)).toMatchObject([{ name: 'letter.txt', sha256: sha256('letter') }]);
});

test('a softban waits for the file of the message of a link: it deletes that message', async () => {
  verifies('evidence.link');
  const { sandbox, people, engine } = stage;
  const [message] = sandbox.control.messages({
    user: 'troll',
    content: 'cheap coins',
    files: [file('coins.png', 'coins')],
  }).messages;
  // Its file is where a fault can make it slow.
  const attachments = message?.attachments.map((each) => ({ ...each, url: `${sandbox.apiUrl}/files/coins` }));
  const read = { method: 'GET', route: `/channels/*/messages/${message?.id}`, times: null } as const;
  sandbox.control.addFault({ ...read, status: 200, body: { ...message, attachments } });
  sandbox.control.addFault({ route: '/files/coins', delay_ms: 1_500, status: 200, body: 'coins' });
  const given = { user: 'troll', reason: 'Hacked account', 'message-link': linkOf(message) };
  const answering = command('softban', given);
  const sent = (what: RegExp) => sandbox.requests.find(({ method, path }) => what.test(`${method} ${path}`));
  await sandbox.until(() => sent(/^PUT .*\/bans\//) !== undefined);
  expect(sent(/^GET \/files\/coins$/)?.status).toBe(200);
  await endsWith(await answering, /The attached file is kept/);
  const [{ id }] = await casesOf(people.troll);
  expect(await evidenceOf(engine.db, id)).toMatchObject([{ name: 'coins.png', problem: null }]);
});

test('a link to what the moderator cannot read in Discord, to another server or to nothing is refused before anything is done', async () => {
  verifies('evidence.link');
  const { sandbox, people, guildId } = stage;
  const [open] = sandbox.control.messages({ user: 'member2', content: 'x' }).messages;
  sandbox.control.channels({ action: 'create', name: 'owners' });
  for (const name of ['moderator', 'Moderator'])
    sandbox.control.channels({
      action: 'update',
      channel: 'owners',
      overwrite: { of: name, deny: ['ViewChannel'] },
    });
  sandbox.control.channels({ action: 'create', name: 'whispers', parent: 'general', type: 'private_thread' });
  const [closed] = sandbox.control.messages({ user: 'owner', channel: 'owners', content: 'secret' }).messages;
  const [whispered] = sandbox.control.messages({
    user: 'owner',
    channel: 'whispers',
    content: 'secret',
  }).messages;
  const refused = async (link: string) =>
    (await command('warn', { user: 'troll', reason: 'Spam', 'message-link': link })).message?.content;
  const unreadable =
    /^Not done\. This link leads to no message of this server that both you and Bailiff can read/;
  expect(await refused(linkOf(closed))).toMatch(unreadable);
  expect(await refused(linkOf(whispered))).toMatch(unreadable);
  expect(await refused(linkOf(open, '123456789012345678'))).toMatch(unreadable);
  expect(await refused(linkOf({ id: '1'.repeat(18), channel_id: open?.channel_id ?? '' }))).toMatch(
    unreadable,
  );
  expect(await refused(linkOf({ id: open?.id ?? '', channel_id: '1'.repeat(18) }))).toMatch(unreadable);
  expect(await refused('https://evil.example/channels/1/2/3')).toMatch(/is no link of a message/);
  expect(await casesOf(people.troll)).toEqual([]);
  expect(await query('SELECT FROM case_messages WHERE guild_id = $1', [guildId])).toEqual([]);
});

test('while Discord does not hand over the message of a link nothing is done, and the link is not said to be wrong', async () => {
  verifies('evidence.link');
  const { sandbox, people } = stage;
  const [message] = sandbox.control.messages({ user: 'member2', content: 'what troll sent me' }).messages;
  const warn = async () =>
    (await command('warn', { user: 'troll', reason: 'Spam', 'message-link': linkOf(message) })).message
      ?.content;
  const route = `/channels/*/messages/${message?.id}`;
  sandbox.control.addFault({ method: 'GET', route, status: 503, times: null });
  expect(await warn()).toMatch(/^Not done\. Discord did not hand over the message just now/);
  expect(await casesOf(people.troll)).toEqual([]);
  sandbox.control.clearFaults();
  expect(await warn()).toMatch(/^Done\./);
});

test('a link to a voice channel that the moderator may see and not join is refused: Discord does not show them what is written there', async () => {
  verifies('evidence.link');
  const { sandbox, people } = stage;
  sandbox.control.channels({ action: 'create', name: 'board', type: 'voice' });
  const [message] = sandbox.control.messages({ user: 'owner', channel: 'board', content: 'secret' }).messages;
  const deny = (who: string, ...permissions: string[]) =>
    sandbox.control.channels({
      action: 'update',
      channel: 'board',
      overwrite: { of: who, deny: permissions },
    });
  for (const who of ['moderator', 'Moderator']) deny(who, 'Connect');
  const warn = async () =>
    (await command('warn', { user: 'troll', reason: 'Spam', 'message-link': linkOf(message) })).message
      ?.content;
  expect(await warn()).toMatch(/^Not done\. This link leads to no message/);
  expect(await casesOf(people.troll)).toEqual([]);
  for (const who of ['moderator', 'Moderator']) deny(who);
  expect(await warn()).toMatch(/^Done\./);
});

test('/case attach adds files and a message to a case that is open, up to a bound, and its post follows', async () => {
  verifies('cases.attach');
  const { sandbox, guildId, engine } = stage;
  const log = sandbox.channels.mod_log;
  await query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [guildId, log]);
  const { caseId, caseNumber } = await openedCase();
  const attach = (more: Parameters<typeof command>[1]) =>
    command('case attach', { case: String(caseNumber), ...more });
  expect((await attach({})).message?.content).toBe('Not done. Attach a file, or give the link of a message.');
  const [message] = sandbox.control.messages({ user: 'troll', content: 'again' }).messages;
  const answered = await attach({ evidence: file('late.txt', 'late'), 'message-link': linkOf(message) });
  expect(answered.message?.content).toMatch(new RegExp(`^Done\\. It is evidence for case #${caseNumber}\\.`));
  await endsWith(answered, /The attached file is kept/);
  expect(await evidenceOf(engine.db, caseId)).toMatchObject([{ name: 'late.txt', sha256: sha256('late') }]);
  expect(await messagesOf(engine.db, caseId)).toMatchObject([{ text: 'again' }]);
  const posted = () =>
    JSON.stringify(
      sandbox.getState().guilds.map(({ channels }) => channels.find((each) => each.id === log)?.messages),
    );
  await sandbox.until(() => posted().includes(linkOf(message)), 180_000, 'the post with the message');
  await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes, problem) SELECT $1, $2, 'x', 1, 'unread' FROM generate_series(1, 48)",
    [guildId, caseId],
  );
  const beyond = await attach({ evidence: file('more.txt', 'more') });
  expect(beyond.message?.content).toMatch(/has 50 files and messages as evidence/);
  expect(await evidenceOf(engine.db, caseId)).toHaveLength(49);
});
