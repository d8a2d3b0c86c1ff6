import { describe, expect, test } from 'vitest';
import { CASE_KIND_NAMES, CASE_KINDS, readImportRow } from '#src/index.ts';

const [PERSON, MODERATOR] = ['123456789012345678', '234567890123456789'];
const NOW = Date.UTC(2026, 10, 23);
const DAY_MS = 86_400_000;
const at = (ms: number) => new Date(ms).toISOString();
const [THEN, LATER, LAST] = [
  '2024-05-06T07:08:09.000Z',
  '2024-05-07T00:00:00.000Z',
  '2024-05-08T00:00:00.000Z',
];
const ID = 'x'.repeat(128);
const longer = (most: number) => ['x'.repeat(most + 1), 'a\u0000b', 7];
const list = (count: number, item: object) => Array.from({ length: count }, () => item);

/** Whether a row is taken, or why it is not. */
const read = (row: object) => {
  const said = readImportRow(row, NOW);
  return typeof said === 'string' ? said : 'taken';
};

const CHANGE = {
  by: MODERATOR,
  at: LATER,
  why: 'A mistake',
  before: { reason: 'Spam', severity: 'minor', duration_minutes: 60, expires_at: null },
  after: { reason: null },
};
const LINK = { id: 'other', by: MODERATOR, at: LATER };
const EVIDENCE = {
  name: 'proof.png',
  media_type: 'image/png',
  size_bytes: 0,
  sha256: 'a'.repeat(64),
  problem: null,
  attached_at: LATER,
};
const MESSAGE = { channel_id: PERSON, message_id: PERSON, author_id: PERSON, text: 'hi', attached_at: LATER };
const CASE = { type: 'case', id: ID, kind: 'ban', user_id: PERSON, issued_at: THEN };
const NOTE = {
  type: 'note',
  id: ID,
  user_id: PERSON,
  text: 'Watch him',
  written_by: MODERATOR,
  written_at: THEN,
};
const END = { type: 'end', id: ID, kind: 'mute', user_id: PERSON, ended_by: MODERATOR, ended_at: THEN };
const TICKET = {
  type: 'ticket',
  id: ID,
  subject: 'Griefed',
  opened_by: PERSON,
  opened_at: THEN,
  closed_at: LATER,
};
const WRITTEN = {
  id: PERSON,
  author_id: PERSON,
  author_name: 'Sam',
  sent_at: '2024-05-06T07:08:09+02:00',
  text: 'Hello',
  attachments: ['roof.png'],
};
const ASKED = { closed_at: LATER, state: 'told' };
const RATED = { ...ASKED, rating: 5, text: 'Thanks', rated_at: LAST };
const MESSAGES = { type: 'messages', ticket_id: ID, part: 1, messages: [WRITTEN] };
const IDENTITY = {
  type: 'identity',
  user_id: PERSON,
  platform: 'minecraft',
  in_game_id: 'Block_Breaker',
  set_at: THEN,
};

describe('what is read of', () => {
  test('a case', () => {
    const whole = {
      ...CASE,
      reason: 'Spam',
      issued_by: MODERATOR,
      expires_at: '2024-05-07T02:00:00+02:00',
      ended_by: PERSON,
      ended_at: LAST,
      end_reason: 'Appeal',
      severity: 'major',
      category: 'ads',
      player_name: 'Sam',
      in_game_id: '7',
    };
    const more = { number: 7, changes: [CHANGE], links: [LINK], evidence: [EVIDENCE], messages: [MESSAGE] };
    const { id: _, ...columns } = whole;
    expect(readImportRow({ ...whole, ...more }, NOW)).toEqual({
      ...columns,
      expires_at: LATER,
      external_id: ID,
      id_prefix: 'ban',
      more,
    });
  });

  test.each(CASE_KIND_NAMES)('a %s of which nothing more is known', (kind) => {
    const term = {
      mute: { expires_at: THEN },
      softban: { ended_at: THEN, ended_by: null },
      strike: { severity: 'minor' },
    };
    expect(readImportRow({ ...CASE, kind }, NOW)).toEqual({
      type: 'case',
      external_id: ID,
      id_prefix: CASE_KINDS[kind].idPrefix,
      kind,
      user_id: PERSON,
      reason: null,
      issued_by: null,
      issued_at: THEN,
      severity: null,
      ...(kind in term ? term[kind as keyof typeof term] : {}),
      more: {},
    });
  });

  test('the end of a mute and of a softban, as far as it is known', () => {
    const mute = { ...CASE, kind: 'mute', ended_at: LATER };
    expect(readImportRow(mute, NOW)).toMatchObject({ expires_at: LATER, ended_at: LATER });
    expect(readImportRow({ ...mute, expires_at: LAST }, NOW)).toMatchObject({ expires_at: LAST });
    const softban = { ...CASE, kind: 'softban', issued_by: MODERATOR };
    expect(readImportRow(softban, NOW)).toMatchObject({ ended_at: THEN, ended_by: MODERATOR });
    expect(readImportRow({ ...softban, ended_by: PERSON, ended_at: LATER }, NOW)).toMatchObject({
      ended_at: LATER,
      ended_by: PERSON,
    });
  });

  test('a note', () => {
    const note = {
      type: 'note',
      external_id: `note:${ID}`,
      id_prefix: 'not',
      kind: null,
      user_id: PERSON,
      reason: 'Watch him',
      issued_by: MODERATOR,
      issued_at: THEN,
    };
    const { written_by: _, ...anonymous } = NOTE;
    expect(readImportRow(NOTE, NOW)).toEqual(note);
    expect(readImportRow(anonymous, NOW)).toEqual({ ...note, issued_by: null });
  });

  test('the end of a ban or mute', () => {
    const end = {
      type: 'end',
      external_id: ID,
      id_prefix: '',
      kind: 'mute',
      user_id: PERSON,
      reason: null,
      issued_by: MODERATOR,
      issued_at: THEN,
    };
    const { ended_by: _, ...anonymous } = END;
    expect(readImportRow(END, NOW)).toEqual(end);
    expect(readImportRow({ ...anonymous, kind: 'ban', end_reason: 'Appeal' }, NOW)).toEqual({
      ...end,
      kind: 'ban',
      reason: 'Appeal',
      issued_by: null,
    });
  });

  test('a ticket', () => {
    const more = {
      number: 3,
      claimed_by: MODERATOR,
      claimed_at: THEN,
      answers: [{ question: 'Where?', answer: '' }],
      notes: [{ text: 'Odd', by: MODERATOR, at: LATER }],
      feedback: [RATED],
      is_cut: true,
      subject: 'Griefed',
    };
    const closed = { closed_by: MODERATOR, close_reason: 'Solved', category: 'Houses' };
    expect(readImportRow({ ...TICKET, ...more, ...closed }, NOW)).toEqual({
      type: 'ticket',
      external_id: ID,
      id_prefix: 'tkt',
      kind: null,
      user_id: PERSON,
      reason: null,
      issued_by: PERSON,
      issued_at: THEN,
      ended_by: MODERATOR,
      ended_at: LATER,
      end_reason: 'Solved',
      category: 'Houses',
      more,
    });
  });

  test('a part of a transcript', () => {
    expect(readImportRow({ ...MESSAGES, part: 2 }, NOW)).toEqual({
      type: 'messages',
      external_id: `messages:${ID}:2`,
      id_prefix: '',
      kind: null,
      user_id: null,
      reason: null,
      issued_by: null,
      issued_at: null,
      more: { ticket_id: ID, messages: [WRITTEN] },
    });
  });

  test('an identity in a game, in its one spelling', () => {
    const identity = {
      type: 'identity',
      external_id: 'identity:minecraft:block_breaker',
      id_prefix: 'idn',
      kind: null,
      user_id: PERSON,
      reason: null,
      issued_by: null,
      issued_at: THEN,
      in_game_id: 'Block_Breaker',
      more: { platform: 'minecraft', key: 'block_breaker' },
    };
    expect(readImportRow({ ...IDENTITY, in_game_id: ' Block_Breaker ' }, NOW)).toEqual(identity);
    expect(readImportRow({ ...IDENTITY, set_by: MODERATOR }, NOW)).toEqual({
      ...identity,
      issued_by: MODERATOR,
    });
  });
});

/** What each field may be, and what is refused of it as what. */
type Bounds = readonly [field: string, right: readonly unknown[], wrong: readonly unknown[], problem: string];

const people = (field: string): Bounds => [field, [PERSON, null, undefined], ['42', 7, ''], 'bad_person'];
const moments = (field: string): Bounds => [
  field,
  [LATER, null, undefined],
  ['yesterday', '2024-05-06', 7],
  'bad_time',
];
const texts = (field: string, most: number): Bounds => [
  field,
  ['x'.repeat(most), '', null, undefined],
  longer(most),
  'bad_text',
];

const OF_ALL: readonly Bounds[] = [
  ['id', ['x'], ['', ...longer(128), undefined], 'unreadable'],
  ['colour', [], ['red'], 'unreadable'],
];
const NUMBERS: Bounds = ['number', [1, 10_000_000, undefined], [0, 10_000_001, 1.5, null, '1'], 'unreadable'];
const wrongIn = (item: object, wrong: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries({ ...wrong, colour: ['red'] }).flatMap(([field, values]) =>
    values.map((value) => [{ ...item, [field]: value }]),
  );
const rightIn = (item: object, right: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries(right).flatMap(([field, values]) => values.map((value) => [{ ...item, [field]: value }]));
const RECORDED = { ...CHANGE.before };
const recorded = (values: Readonly<Record<string, readonly unknown[]>>) =>
  Object.entries(values).flatMap(([field, each]) => each.map((value) => ({ ...RECORDED, [field]: value })));
const RIGHT_RECORDED = recorded({
  reason: ['x'.repeat(512), '', null, undefined],
  severity: ['minor', 'major', undefined],
  duration_minutes: [1, null, undefined],
  expires_at: [LATER, null, undefined],
});
const WRONG_RECORDED = recorded({
  reason: longer(512),
  severity: ['mild', null],
  duration_minutes: [1.5],
  expires_at: ['never'],
  colour: ['red'],
});

describe.each<[string, object, readonly Bounds[]]>([
  [
    'case',
    CASE,
    [
      ...OF_ALL,
      NUMBERS,
      ['kind', CASE_KIND_NAMES, ['tempban', undefined], 'unknown_kind'],
      ['severity', ['minor', 'major', null, undefined], ['mild'], 'unknown_kind'],
      ['user_id', [PERSON], ['42', null, undefined], 'bad_person'],
      ...['issued_by', 'ended_by'].map(people),
      ['issued_at', ['2024-05-06T07:08:09+02:00'], ['2024-05-06', null, undefined], 'bad_time'],
      ...['expires_at', 'ended_at'].map(moments),
      ...['reason', 'end_reason'].map((field) => texts(field, 512)),
      ...['category', 'player_name', 'in_game_id'].map((field) => texts(field, 64)),
      [
        'changes',
        [[], list(50, CHANGE), ...RIGHT_RECORDED.map((before) => [{ ...CHANGE, before }]), undefined],
        [
          list(51, CHANGE),
          ...wrongIn(CHANGE, {
            by: ['42'],
            at: ['then'],
            why: longer(512),
            before: [null, ...WRONG_RECORDED],
          }),
          null,
        ],
        'unreadable',
      ],
      [
        'links',
        [[], list(20, LINK), undefined],
        [list(21, LINK), ...wrongIn(LINK, { id: [''], by: ['42'], at: ['then'] }), null],
        'unreadable',
      ],
      [
        'evidence',
        [
          ...[[], list(100, EVIDENCE), undefined],
          ...rightIn(EVIDENCE, {
            name: ['', 'x'.repeat(512)],
            media_type: ['image/jpeg', 'image/gif', 'image/webp', null],
            size_bytes: [2 ** 31 - 1],
            sha256: [null, '0123456789abcdef'.repeat(4)],
            problem: ['too_large', 'unread', 'full'],
          }),
        ],
        [
          list(101, EVIDENCE),
          ...wrongIn(EVIDENCE, {
            name: longer(512),
            media_type: ['text/html', undefined],
            size_bytes: [-1, 2 ** 31, 1.5],
            sha256: ['a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), `x${'a'.repeat(64)}`, undefined],
            problem: ['lost', undefined],
            attached_at: ['then', undefined],
          }),
        ],
        'unreadable',
      ],
      [
        'messages',
        [[], list(20, MESSAGE), ...rightIn(MESSAGE, { text: ['', null, 'x'.repeat(4_000)] }), undefined],
        [
          list(21, MESSAGE),
          ...wrongIn(MESSAGE, {
            channel_id: ['42'],
            message_id: ['42'],
            author_id: ['42'],
            text: [...longer(4_000), undefined],
            attached_at: ['then'],
          }),
        ],
        'bad_text',
      ],
    ],
  ],
  [
    'note',
    NOTE,
    [
      ...OF_ALL,
      ['user_id', [PERSON], ['42', null, undefined], 'bad_person'],
      people('written_by'),
      ['written_at', [LATER], ['then', null, undefined], 'bad_time'],
      ['text', ['x', 'x'.repeat(1_000)], ['', ...longer(1_000), null, undefined], 'bad_text'],
    ],
  ],
  [
    'end',
    END,
    [
      ...OF_ALL,
      ['kind', ['ban', 'mute'], ['kick', undefined], 'unknown_kind'],
      ['user_id', [PERSON], ['42', null, undefined], 'bad_person'],
      people('ended_by'),
      ['ended_at', [LATER], ['then', null, undefined], 'bad_time'],
      texts('end_reason', 512),
    ],
  ],
  [
    'ticket',
    TICKET,
    [
      ...OF_ALL,
      NUMBERS,
      ['opened_by', [PERSON], ['42', null, undefined], 'bad_person'],
      ...['claimed_by', 'closed_by'].map(people),
      ['opened_at', [THEN], ['then', null, undefined], 'bad_time'],
      ['closed_at', [LATER], ['then', null, undefined], 'bad_time'],
      moments('claimed_at'),
      ['subject', ['', 'x'.repeat(200)], [...longer(200), null, undefined], 'bad_text'],
      texts('close_reason', 512),
      texts('category', 60),
      ['is_cut', [true, false, undefined], ['yes', null], 'unreadable'],
      [
        'feedback',
        [
          ...[[], list(50, RATED), [{ ...RATED, text: undefined }], undefined],
          ...rightIn(RATED, { rating: [1], text: ['', 'x'.repeat(500)] }),
          ...rightIn(ASKED, { state: ['closed', 'absent', 'not_sent', 'unknown', 'withdrawn'] }),
        ],
        [
          list(51, ASKED),
          ...wrongIn(ASKED, {
            closed_at: ['then'],
            state: ['asked'],
            rating: [5],
            text: ['Thanks'],
            rated_at: [LATER],
          }),
          ...wrongIn(RATED, {
            rating: [0, 6, 1.5, undefined],
            text: longer(500),
            rated_at: ['then', undefined],
          }),
        ],
        'unreadable',
      ],
      [
        'answers',
        [[], list(4, { question: 'x'.repeat(100), answer: 'x'.repeat(1_000) }), undefined],
        [
          list(5, { question: '', answer: '' }),
          ...wrongIn({ question: '', answer: '' }, { question: longer(100), answer: longer(1_000) }),
        ],
        'unreadable',
      ],
      [
        'notes',
        [[], list(50, { text: 'x'.repeat(1_000), by: PERSON, at: LATER }), undefined],
        [
          list(51, { text: '', by: PERSON, at: LATER }),
          ...wrongIn({ text: '', by: PERSON, at: LATER }, { text: longer(1_000), by: ['42'], at: ['then'] }),
        ],
        'unreadable',
      ],
    ],
  ],
  [
    'messages',
    MESSAGES,
    [
      ['ticket_id', ['x'], ['', ...longer(128), undefined], 'unreadable'],
      ['part', [1, 200], [0, 1.5, undefined], 'unreadable'],
      ['part', [], [201], 'transcript_too_long'],
      ['colour', [], ['red'], 'unreadable'],
      [
        'messages',
        [
          list(100, WRITTEN),
          ...rightIn(WRITTEN, {
            author_name: ['', 'x'.repeat(100)],
            author_is_bot: [true, false, undefined],
            text: ['', 'x'.repeat(8_000)],
            attachments: [[], Array.from({ length: 20 }, () => 'x'.repeat(2_000))],
            reply_to: [PERSON, null, undefined],
          }),
        ],
        [
          ...[[], undefined],
          ...wrongIn(WRITTEN, {
            id: ['42'],
            author_id: ['42'],
            author_name: longer(100),
            author_is_bot: ['yes', null],
            sent_at: ['2024-05-06T07:08:09'],
            text: longer(8_000),
            attachments: [Array.from({ length: 21 }, () => 'x'), ['x'.repeat(2_001)], ['a\u0000b'], 'x'],
            reply_to: ['42'],
          }),
        ],
        'bad_text',
      ],
    ],
  ],
  [
    'identity',
    IDENTITY,
    [
      ['user_id', [PERSON], ['42', null, undefined], 'bad_person'],
      ['platform', ['other'], ['psn', undefined], 'unknown_kind'],
      ['in_game_id', ['Steve'], ['a', 'x'.repeat(65), '', undefined], 'bad_text'],
      people('set_by'),
      ['set_at', [LATER], ['then', null, undefined], 'bad_time'],
      ['colour', [], ['red'], 'unreadable'],
    ],
  ],
])('of a %s', (_, row, bounds) => {
  test.each(bounds)('%s is taken within its bounds', (field, right, wrong, problem) => {
    for (const value of right) expect([value, read({ ...row, [field]: value })]).toEqual([value, 'taken']);
    for (const value of wrong) expect([value, read({ ...row, [field]: value })]).toEqual([value, problem]);
  });
});

test.each([
  [CASE, 'changes'],
  [CASE, 'links'],
  [CASE, 'evidence'],
  [CASE, 'messages'],
  [TICKET, 'answers'],
  [TICKET, 'notes'],
  [TICKET, 'feedback'],
  [MESSAGES, 'messages'],
])('a row with much that is wrong costs no more than its first mistake: of %o, %s', (row, field) => {
  const unread = new Proxy(
    {},
    {
      get: (_, name) => {
        throw new Error(`${String(name)} was read`);
      },
    },
  );
  expect(read({ ...row, [field]: [{}, unread] })).toMatch(/^(unreadable|bad_text)$/);
});

test('a part of a transcript has at most 60,000 characters of JSON', () => {
  const written = (last: number) => ({
    ...MESSAGES,
    messages: [...list(7, { ...WRITTEN, text: 'x'.repeat(8_000) }), { ...WRITTEN, text: 'x'.repeat(last) }],
  });
  const left = 60_000 - JSON.stringify(written(0).messages).length;
  expect(read(written(left))).toBe('taken');
  expect(read(written(left + 1))).toBe('transcript_too_long');
});

test.each([
  ['the first day of 2015', '2015-01-01T00:00:00Z', 'taken'],
  ['a moment before it', '2014-12-31T23:59:59.999Z', 'bad_time'],
  ['a day ahead', at(NOW + DAY_MS), 'taken'],
  ['more than a day ahead', at(NOW + DAY_MS + 1), 'in_future'],
])('a case of %s is judged by its time', (_, issued_at, said) => {
  expect(read({ ...CASE, issued_at })).toBe(said);
});

test.each(['expires_at', 'ended_at'])('%s of a case does not come before it was issued', (field) => {
  expect(read({ ...CASE, [field]: THEN })).toBe('taken');
  expect(read({ ...CASE, [field]: '2024-05-06T07:08:08Z' })).toBe('bad_time');
});

test('a case can be due to end in the future, but cannot have ended there', () => {
  expect(read({ ...CASE, expires_at: '2099-12-31T23:59:59Z' })).toBe('taken');
  expect(read({ ...CASE, expires_at: '2100-01-01T00:00:00Z' })).toBe('bad_time');
  expect(read({ ...CASE, ended_at: at(NOW + DAY_MS) })).toBe('taken');
  expect(read({ ...CASE, ended_at: at(NOW + DAY_MS + 1) })).toBe('in_future');
});

test.each([null, undefined, 'case', 7, [], {}, { type: 'token' }])('%j is no row', (value) => {
  expect(readImportRow(value, NOW)).toBe('unreadable');
});
