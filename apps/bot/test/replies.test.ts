import type { InputOf, LongOperation, OutputOf } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import { expect, test } from 'vitest';
import { replyTo } from '#src/chat/answers.ts';
import { identitiesText } from '#src/chat/identities.ts';
import { locksText, rolesText, slowmodesText } from '#src/chat/in-force.ts';
import { lockdownText } from '#src/chat/locks.ts';
import { moderatorsText } from '#src/chat/moderators.ts';
import { notesText, ticketNotesText } from '#src/chat/notes.ts';
import { onlineText } from '#src/chat/online-players.ts';
import { questionOf } from '#src/chat/purge.ts';
import { sayProgress } from '#src/chat/stopping.ts';
import { ticketStatisticsText } from '#src/chat/ticket-statistics.ts';
import { caseReply } from '#src/chat/whole-case.ts';

const AT = '2026-01-02T03:04:05.000Z';
const MOMENT = '<t:1767323045:f>';

/** The answer to `/case show` about a ban that differs from an ordinary one in this. */
function shown(more: Partial<OutputOf<'cases.get'>>): string {
  const ban = {
    ...{ id: 'ban_1', case_number: 7, kind: 'ban', user_id: '1', issued_by: '2', issued_at: AT },
    ...{ reason: 'Spam', active: true, expires_at: null, ended_at: null, ended_by: null, end_reason: null },
    ...{ severity: null, links: [], messages: [], evidence: [], changes: [], import_id: null, ...more },
  };
  const about = { guildId: '3', locale: 'en', names: {} } as const;
  return caseReply(ban as unknown as OutputOf<'cases.get'>, { case_number: 7 } as never, about).content ?? '';
}

test('/case show says how a case stands: in force, expired, or lifted by whom and why', () => {
  expect(shown({})).toContain('\nReason: "Spam"\nIn force');
  expect(shown({ reason: null })).toContain('\nReason: none\n');
  expect(shown({ expires_at: AT })).toContain(`\nUntil ${MOMENT}\n`);
  const ended = { active: false, ended_at: AT } as const;
  expect(shown({ ...ended, ended_by: '5', end_reason: 'Appeal' })).toContain(
    `\nLifted by <@5>, ${MOMENT}: "Appeal"`,
  );
  expect(shown({ ...ended, ended_by: '5' })).toMatch(/\nLifted by <@5>, <t:\d+:f>$/);
  expect(shown(ended)).toContain('\nLifted by someone, ');
});

test('/case show says of each file whether it is kept, and of each change what stood before', () => {
  const file = {
    id: 'evd_1',
    size_bytes: 1_025,
    media_type: null,
    sha256: null,
    problem: null,
    fetching: false,
  };
  const files = [
    { ...file, name: 'a.txt' },
    { ...file, name: 'b.txt', fetching: true },
    { ...file, name: 'c.txt', problem: 'too_large' },
  ];
  expect(shown({ evidence: files } as object)).toContain(
    '\nEvidence: "a.txt" (2\u00a0KB), "b.txt" (being fetched), "c.txt" (not kept)',
  );
  const change = (before: object) => ({ changed_by: '2', changed_at: AT, before, after: {} });
  const changes = [
    change({ duration_minutes: null }),
    change({ expires_at: '2026-01-02T04:04:05.000Z' }),
    change({ reason: null }),
  ];
  const by = `Changed by <@2>, ${MOMENT}.`;
  expect(shown({ changes } as object)).toContain(
    `\n${by} Reason before: ""\n${by} End before: <t:1767326645:f>\n${by} It was permanent before`,
  );
});

const NO_CASES = { strike: 0, warning: 0, mute: 0, kick: 0, softban: 0, ban: 0 };
const IDLE = { user_id: '1', cases: NO_CASES, lifted: 0, appealed: 0, reports: 0, tickets: 0 };
const WORK = {
  days: 30,
  data: [],
  more: 0,
  by_tokens: 0,
  automatic: 0,
} as unknown as OutputOf<'audit.moderators'>;

test('/moderators names what each did and nothing that they did not, and counts who is not named', () => {
  const data = [
    { ...IDLE, cases: { ...NO_CASES, ban: 1, strike: 2 }, lifted: 1, appealed: 1 },
    { ...IDLE, user_id: '2', reports: 1 },
    { ...IDLE, user_id: '3', tickets: 2 },
  ];
  const all = moderatorsText('en', { ...WORK, data, more: 4, by_tokens: 1 } as typeof WORK, {} as never);
  expect(all.split('\n').slice(1)).toEqual([
    expect.stringMatching(/<@1>: 3 cases \(.*Ban 1.*\), 1 lifted early \(1 on appeal\)$/),
    expect.stringMatching(/<@2>: 1 report closed$/),
    expect.stringMatching(/<@3>: 2 tickets closed$/),
    '4 more moderators did less.',
    expect.stringContaining('1 case from tokens, 0 cases that Bailiff opened by itself'),
  ]);
  const one = moderatorsText(
    'en',
    { ...WORK, data: data.slice(1, 2) } as typeof WORK,
    { user_id: '2' } as never,
  );
  expect(one).not.toContain('from tokens');
});

test('/moderators says that nobody did anything, and still what tokens did', () => {
  expect(moderatorsText('en', WORK, {} as never)).toBe('No moderator did anything in this time.');
  expect(moderatorsText('en', { ...WORK, automatic: 2 }, {} as never)).toContain(
    '\nNot in the table: 0 cases',
  );
  expect(moderatorsText('en', { ...WORK, automatic: 2 }, { user_id: '9' } as never)).toBe(
    '<@9> did nothing in the last 30 days.',
  );
});

test('who is online on a game server is named with ids and member, and what is left out is counted', () => {
  const player = (name: string, in_game_id: string, user_id: string | null) => ({
    ...{ name, user_id, identities: [{ platform: 'steam', in_game_id }] },
  });
  const online = {
    ...{ state: 'listed', server_name: 'Survival', read_at: AT, more: 2, unread: 1 },
    players: [player('Nova', '7656', '4'), player('Alone', 'Alone', null)],
  };
  expect(onlineText('en', { online } as never)).toBe(
    '**"Survival"**: 4 players are online\n- "Nova" `7656` <@4>\n- "Alone"\n' +
      '2 more players are online.\nThe line of 1 player could not be read.',
  );
  expect(onlineText('en', { online: { state: 'unreachable' } } as never)).toMatch(
    /^The game server cannot be/,
  );
});

test('/ticket stats says how long things took by category and person, and nothing that nobody knows', () => {
  const counted = {
    closed: 2,
    first_answer_seconds: 120,
    close_seconds: 7_200,
    ratings: 3,
    average_rating: 4.5,
  };
  const nothing = {
    closed: 0,
    first_answer_seconds: null,
    close_seconds: null,
    ratings: 0,
    average_rating: null,
  };
  const text = ticketStatisticsText('en', {
    ...{ days: 30, opened: 5, open_now: 3, ...nothing, closed: 2 },
    categories: [
      { category: null, opened: 1, ...counted },
      { category: 'Bans', opened: 4, ...counted },
    ],
    people: [{ user_id: '1', ...nothing }],
  } as never);
  const [, , , bans, , person] = text.split('\n');
  expect(text).not.toContain('null');
  expect(bans).toMatch(/Bans.*4.*2 closed.*2 minutes.*2 hours.*4\.5.*3/);
  expect(person).toMatch(/<@1>.*0 closed$/);
});

test.each([
  [
    'de',
    '1 geöffnet, 1 geschlossen, 1 jetzt offen',
    ['2 Tage bis zur ersten Antwort', '3 Tage bis zum Schließen'],
    '1 geöffnet, 1 geschlossen',
  ],
  [
    'fr',
    '1 ouvert, 1 fermé, 1 ouvert en ce moment',
    ['première réponse après 2\u00a0jours', 'fermé après 3\u00a0jours'],
    '1 ouvert, 1 fermé',
  ],
  [
    'es',
    '1 abierto, 1 cerrado, 1 abierto ahora',
    ['primera respuesta tras 2 días', 'cerrado tras 3 días'],
    '1 abierto, 1 cerrado',
  ],
  [
    'pt',
    '1 aberto, 1 fechado, 1 aberto agora',
    ['primeira resposta após 2 dias', 'fechado após 3 dias'],
    '1 aberto, 1 fechado',
  ],
] as const)('/ticket stats says one ticket and some days as %s does', (locale, counts, took, bans) => {
  const counted = {
    ...{ closed: 1, first_answer_seconds: 172_800, close_seconds: 259_200 },
    ...{ ratings: 0, average_rating: null },
  };
  const text = ticketStatisticsText(locale, {
    ...{ days: 30, opened: 1, open_now: 1, ...counted, people: [] },
    categories: [{ category: 'Bans', opened: 1, ...counted }],
  } as never);
  const [, ...lines] = text.split('\n');
  expect(lines.slice(0, 3)).toEqual([counts, ...took]);
  expect(lines.at(-1)).toContain([bans, ...took].join(', '));
});

const SPOKEN = { guildId: '3', locale: 'en', names: {} } as const;

test('the answer of a purge says that fewer were there, and what is kept', () => {
  const purged = (deleted: number, requested: number) => {
    const purge = { deleted, requested } as OutputOf<'messages.purge'>['purge'];
    return replyTo(
      'messages.purge',
      { channel_id: '4', count: requested } as InputOf<'messages.purge'>,
      { purge },
      SPOKEN,
    );
  };
  expect(purged(5, 5).content).toBe('Done. Deleted 5 messages in <#4>. They are kept for 30 days.');
  expect(purged(3, 5).content).toMatch(/^Done\. Deleted 3 .*5/);
  expect(purged(0, 5).content).not.toContain('kept for');
});

test('the question of a purge says what is spared, and has no button where nothing is left', () => {
  const selection = (messages: number, skippedPinned: number, skippedTooOld: number) =>
    ({ messages: Array.from({ length: messages }), skippedPinned, skippedTooOld }) as never;
  const asked = questionOf('en', '4', selection(2, 1, 3), 'x');
  expect(asked.content).toMatch(/2 messages .*1 message that fits stays: pinned\. 3 messages that fit stay/);
  expect(JSON.stringify(asked.components)).toContain('2 messages');
  expect(questionOf('en', '4', selection(2, 0, 0), 'x').content).not.toMatch(/stay/);
  const nothing = questionOf('en', '4', selection(0, 1, 0), null);
  expect([nothing.components, nothing.content]).toEqual([
    undefined,
    expect.stringMatching(/<#4>\. 1 message that fits stays: pinned\.$/),
  ]);
});

test('the answer of a game server is whole: in the message, cut with a word, or in a file', () => {
  const run = (output: string, more: object = {}) =>
    replyTo(
      'servers.rcon',
      { serverId: 'srv_1', command: 'list' } as InputOf<'servers.rcon'>,
      { run: { output, output_bytes: output.length, truncated: false, ...more } } as OutputOf<'servers.rcon'>,
      SPOKEN,
    );
  expect(run('').content).not.toContain('```');
  expect(run('three').content).toMatch(/\n```\nthree\n```$/);
  expect(run('three', { truncated: true, output_bytes: 70_000 }).content).toMatch(/70,000.*\n```\nthree/);
  const long = run('x'.repeat(4_000));
  expect(long.content).not.toContain('```');
  expect(long.files?.map((file) => (file as { name: string; attachment: Buffer }).attachment.length)).toEqual(
    [4_000],
  );
});

test('what people wrote is shown as text in the sentence about what was done', () => {
  const done = (operation: 'bans.add' | 'servers.rcon' | 'bans.undo', input: object, body: object) =>
    replyTo(operation, input as never, body as never, {
      ...SPOKEN,
      names: { '1': '_john_doe_', srv_1: 'Night\n**Watch**' },
    }).content ?? '';
  const banned = (reason: string) =>
    done('bans.add', { user_id: '1', reason }, { ban: { user_id: '1', case_number: 5 } });
  expect(banned('Spamming links\nSecond offence')).toBe(
    'Done. Ban \\_john\\_doe\\_ (1) in guild 3 permanently: "Spamming links Second offence" (case #5)',
  );
  expect(banned('See [https://discord.com/login](https://evil.test)')).toContain(
    'login]\\(https://evil.test)"',
  );
  expect(banned('**bold** ||secret|| `code` A\u202eB')).toContain(
    '"\\*\\*bold\\*\\* \\|\\|secret\\|\\| \\`code\\` A\\\\u202eB"',
  );
  expect(banned('x'.repeat(512)).length).toBeLessThan(700);
  expect(banned('_'.repeat(512)).length).toBeLessThan(700);
  const ran = (command: string) =>
    done(
      'servers.rcon',
      { serverId: 'srv_1', command },
      { run: { output: 'a ` b', output_bytes: 5, truncated: false } },
    );
  // No fence or code of the command reaches into the block below.
  for (const ticks of ['```', '````', '`', '``````']) {
    expect(ran(`say ${ticks}`).match(/(?<!\\)`/g)).toHaveLength(2 * 3 + 1);
  }
  expect(ran('say hi')).toMatch(
    /^Done\. Run "say hi" on Night \\\*\\\*Watch\\\*\\\* \(srv_1\) in guild 3\.\n```\n/,
  );
  expect(ran('_'.repeat(1446)).length).toBeLessThan(900);
});

test('a sanction without an end says so, and one with an end says when', () => {
  const ban = { user_id: '1', case_number: 7, expires_at: null } as OutputOf<'bans.change'>['ban'];
  const changed = (expires_at: string | null) =>
    replyTo('bans.change', { userId: '1' } as InputOf<'bans.change'>, { ban: { ...ban, expires_at } }, SPOKEN)
      .content;
  expect(changed(null)).toContain('permanent');
  expect(changed(AT)).toContain(MOMENT);
});

test('how far a long action has got is said in its own words, and of a purge from the first message on', () => {
  const said = (operation: LongOperation, done: number, of: number | null) =>
    sayProgress(translator('en', 'chat'), operation, { done, of });
  expect(said('messages.purge', 0, null)).toMatch(/are being selected/);
  expect(said('messages.purge', 0, 9)).toMatch(/are being selected/);
  expect(said('messages.purge', 3, 9)).toBe('Deleted 3 of 9 messages, going on.');
  expect(said('tickets.close', 200, null)).toMatch(/^Kept 200 messages of the transcript, going on\./);
  for (const operation of ['bans.preview', 'mutes.preview'] as const)
    expect(said(operation, 3, 10), operation).toMatch(/^The people are being looked up\./);
  for (const operation of ['bans.many', 'bans.undo', 'mutes.many', 'mutes.undo'] as const) {
    expect(said(operation, 3, 10), operation).toBe('Done with 3 of 10 people, going on.');
    expect(said(operation, 0, null), operation).toBe('Done with 0 of 0 people, going on.');
  }
});

test('a list of what is in force or kept says whose it is, and that there are more', () => {
  const more = 'There are more: the dashboard has all of them.';
  const lock = { channel_id: null, locked_by: '2', locked_at: AT, expires_at: null, reason: null };
  const slowmode = { channel_id: '4', seconds: 30, set_by: '2', set_at: AT, expires_at: AT, reason: 'Raid' };
  const role = { user_id: '1', role_id: '5', given_by: '2', given_at: AT, expires_at: AT, reason: null };
  const identity = {
    id: 'idn_1',
    user_id: '1',
    in_game_id: 'Alex',
    platform: 'steam',
    set_by: '2',
    set_at: AT,
  };
  const lists: {
    text: (page: object, about: object) => string;
    entry: object;
    none: string;
    noneOf?: string;
  }[] = [
    { text: (page) => locksText('en', page as never), entry: lock, none: 'Bailiff has locked nothing.' },
    {
      text: (page) => slowmodesText('en', page as never),
      entry: slowmode,
      none: 'No channel has a slowmode that ends by itself.',
    },
    {
      text: (page, about) => rolesText('en', page as never, about as never),
      entry: role,
      none: 'Nobody has a role for a while.',
      noneOf: '<@1> has no role for a while.',
    },
    {
      text: (page, about) => identitiesText('en', page as never, about as never),
      entry: identity,
      none: 'No identity in a game is kept.',
      noneOf: 'No identity in a game is kept of <@1>.',
    },
  ];
  for (const { text, entry, none, noneOf = none } of lists) {
    expect(text({ data: [], next_cursor: null }, {})).toBe(none);
    expect(text({ data: [], next_cursor: null }, { user_id: '1' })).toBe(noneOf);
    const [head, line, ...rest] = text({ data: [entry], next_cursor: 'x' }, {}).split('\n');
    expect([head, line]).toEqual([expect.stringMatching(/^\*\*/), expect.stringContaining('<@2>')]);
    expect(rest).toEqual([more]);
    expect(text({ data: [entry], next_cursor: null }, {})).toBe(`${head}\n${line}`);
  }
});

test('five notes are shown at once, and how many older ones the dashboard has', () => {
  const data = Array.from({ length: 6 }, (_, n) => ({
    ...{ id: `note_${n}`, user_id: '1', text: `Note ${n}`, written_by: '2', written_at: AT },
  }));
  const shown = (count: number) =>
    notesText('en', { data: data.slice(0, count) } as never, { user_id: '1' } as never).split('\n');
  expect(shown(5)).toEqual(['**5 notes** on <@1>, newest first', ...Array(5).fill(expect.any(String))]);
  expect(shown(6)).toEqual([
    '**6 notes** on <@1>, newest first',
    ...data.slice(0, 5).map(({ text }) => expect.stringContaining(`<@2>: "${text}"`)),
    '1 older one is in the dashboard.',
  ]);
  expect(ticketNotesText('en', { data } as never)).toMatch(
    /^\*\*6 notes\*\* on this ticket.*"Note 4"\n1 older one is in the dashboard\.$/s,
  );
});

const lockedDown = (roles: number, channels: number, locale: Locale = 'en') =>
  lockdownText(locale, {
    lock: { channel_id: null, locked_by: '2', locked_at: AT, expires_at: null, reason: null },
    still_open: {
      role_ids: Array.from({ length: roles }, (_, n) => `1${n}`),
      channel_ids: Array.from({ length: channels }, (_, n) => `2${n}`),
    },
  } as OutputOf<'channels.lockdown'>);

test('/lockdown names fifteen roles and channels that stay open, and leaves out the others', () => {
  expect(lockedDown(0, 0)).toBe('Done. Members cannot write in this server until the lockdown is ended.');
  expect(lockedDown(14, 1)).toMatch(/: <@&10>, .*<@&113>, <#20>\.$/);
  expect(lockedDown(14, 2)).toMatch(/: <@&10>, .*<@&113>, <#20>, …\.$/);
});

test.each([
  ['de', 'Ausgenommen sind Rollen und Kanäle, für die Discord das Schreiben eigens erlaubt:'],
  ['fr', 'Font exception les rôles et salons pour lesquels Discord permet expressément d’écrire\u00a0:'],
  ['es', 'Quedan fuera los roles y canales para los que Discord permite expresamente escribir:'],
  ['pt', 'Ficam de fora os cargos e canais para os quais o Discord permite expressamente escrever:'],
] as const)('in %s /lockdown does not call the roles that may still write a place', (locale, said) => {
  expect(lockedDown(1, 1, locale)).toMatch(new RegExp(`\\. ${said} <@&10>, <#20>\\.$`));
});
