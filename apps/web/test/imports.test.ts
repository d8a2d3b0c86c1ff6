import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallFailure } from '#components/call-api.ts';
import { callsInPace, whenAllowed } from '#components/settings/when-allowed.ts';
import {
  countFates,
  type Fate,
  type LineFate,
  NotUtf8,
  nameOfFile,
  sendFile,
  textOf,
} from '#src/import-file.ts';
import { type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

beforeAll(async () => {
  web = await startTestWeb();
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
});
afterAll(() => web.close());

const ask = (path: string, body: object) => owner.call('POST', `/api/guilds/${guild.id}/${path}`, body);

/** What the page does with a file. `stopsAfter` ends it after so many requests. */
async function send(
  file: string,
  path: string,
  more: object,
  stopsAfter = 1_000,
): Promise<LineFate[] | null> {
  let left = stopsAfter;
  const sendRows = async (rows: readonly object[]): Promise<readonly Fate[] | null> => {
    left -= 1;
    if (left < 0) return null;
    const { status, body } = await ask(path, { ...more, rows });
    expect(status).toBe(200);
    return body.fates;
  };
  return sendFile(
    textOf(new Blob([typeof file === 'string' ? file : new Uint8Array(file)])),
    'csv',
    sendRows,
    () => {},
  );
}

const COUNT = 1_200;
const FILE = [
  'kind,user_id,issued_at,id,reason',
  ...Array.from(
    { length: COUNT },
    (_, n) => `warning,${123456789012345678n + BigInt(n)},2024-05-06,${n},${'Spam '.repeat(40)}${n}`,
  ),
  `ban,${'1'.repeat(18)},2024-05-06,0,The same id again`,
  `jail,${'1'.repeat(18)},2024-05-06,x,Unknown`,
  `ban,${'1'.repeat(18)},2024-05-06,y,${'x'.repeat(1_000_000)}`,
].join('\n');

test('a file is checked, stops on its way, goes on, and is undone: each line has its fate', async () => {
  verifies('imports.dashboard');
  const source = { source: 'csv' };
  const dry = await send(FILE, 'import-checks', source);
  expect(countFates(dry ?? [])).toEqual({ come: COUNT, known: 1, refused: 2 });
  expect(dry?.slice(-3)).toMatchObject([
    { line: COUNT + 2, fate: 'duplicate' },
    { line: COUNT + 3, fate: 'refused', problem: 'unknown_kind' },
    { line: COUNT + 4, fate: 'refused', problem: 'too_long' },
  ]);

  const file = { ...source, file_name: 'old.csv', file_size: FILE.length };
  const begun = await ask('imports', file);
  const path = `imports/${begun.body.import_id}`;
  expect(await send(FILE, `${path}/rows`, {}, 2)).toBeNull();
  const again = await ask('imports', file);
  expect(again.body.import_id).toBe(begun.body.import_id);
  const fates = await send(FILE, `${path}/rows`, {});
  expect(countFates(fates ?? [])).toEqual({
    come: COUNT - again.body.brought,
    known: again.body.brought + 1,
    refused: 2,
  });
  expect(again.body.brought).toBeGreaterThan(0);
  expect((await ask(`${path}/finish`, {})).status).toBe(200);

  const count = 'SELECT count(*)::int FROM cases WHERE guild_id = $1';
  expect((await web.db.pool.query(count, [guild.id])).rows).toEqual([{ count: COUNT }]);
  expect((await ask(`${path}/undo`, {})).body).toEqual({ removed: 1_000, kept: null });
  expect((await ask(`${path}/undo`, {})).body).toEqual({ removed: COUNT - 1_000, kept: 0 });
  expect((await web.db.pool.query(count, [guild.id])).rows).toEqual([{ count: 0 }]);
});

test('an import begins whatever the name of its file is, also where an emoji is at the end of what is kept', async () => {
  verifies('imports.dashboard');
  const name = `Our old bot 🎉${'x'.repeat(59)}.csv`;
  const fileName = nameOfFile({ name });
  expect(fileName.slice(1)).toBe(`${'x'.repeat(59)}.csv`);
  const begun = await ask('imports', { source: 'csv', file_name: fileName, file_size: 1 });
  expect(begun.status).toBe(201);
});

test('a file of more steps than a session may send in a minute waits and goes on, and ends if waiting does not help', async () => {
  verifies('imports.dashboard');
  let tooSoon = 2;
  const waits: number[] = [];
  const sendRows = async (rows: readonly object[]): Promise<readonly Fate[] | null> => {
    const answer = await whenAllowed(
      async () => {
        tooSoon -= 1;
        if (tooSoon >= 0)
          return new CallFailure('Too many.', { status: 429, retryAfterSeconds: 7 + tooSoon });
        return (await ask('import-checks', { source: 'csv', rows })).body.fates as Fate[];
      },
      async (seconds) => void waits.push(seconds),
    );
    return answer instanceof CallFailure ? null : answer;
  };
  const sendAll = () => sendFile(textOf(new Blob([FILE])), 'csv', sendRows, () => {});
  expect(countFates((await sendAll()) ?? [])).toEqual({ come: COUNT, known: 1, refused: 2 });
  expect(waits).toEqual([8, 7]);
  tooSoon = Infinity;
  expect(await sendAll()).toBeNull();
  expect(waits).toHaveLength(2 + 5);
});

test('a file of many steps leaves its owner half of the requests that a session has in a minute', async () => {
  verifies('imports.dashboard');
  let clock = 0;
  const begun: number[] = [];
  const inPace = callsInPace(
    () => clock,
    async (ms) => {
      clock += ms;
    },
  );
  // Steps of ten milliseconds, and at last one that took long by itself.
  for (const ms of [...new Array(1_000).fill(10), 5_000, 10]) {
    await inPace(async () => {
      begun.push(clock);
      clock += ms;
    });
  }
  expect(begun).toHaveLength(1_002);
  const inMinuteFrom = (start: number) => begun.filter((at) => at >= start && at < start + 60_000).length;
  expect(Math.max(...begun.map(inMinuteFrom))).toBe(300);
  // It waits no longer than it must.
  expect(begun.at(-3)).toBeLessThan(200_000);
  expect(begun.at(-1)).toBe((begun.at(-2) ?? 0) + 5_000);
});

test('more rows than one step takes are refused, and so is a body that is too large', async () => {
  verifies('imports.dashboard');
  const rows = Array.from({ length: 501 }, () => ({}));
  expect((await ask('import-checks', { source: 'csv', rows })).status).toBe(422);
  expect((await ask('import-checks', { source: 'csv', rows: ['x'.repeat(530_000)] })).status).toBe(413);
  expect((await ask('import-checks', { source: 'dyno', rows: [{}] })).status).toBe(422);
});

test('rows with long texts are sent in steps of which the server takes each', async () => {
  const sizes: number[] = [];
  const rows = Array.from(
    { length: 400 },
    (_, n) => `warning,${123456789012345678n + BigInt(n)},2024-05-06,${n},${'x'.repeat(500)}`,
  );
  const fates = await sendFile(
    textOf(new Blob([['kind,user_id,issued_at,id,reason', ...rows].join('\n')])),
    'csv',
    async (step) => {
      sizes.push(JSON.stringify(step).length);
      return step.map(() => ({ fate: 'new' }));
    },
    () => {},
  );
  expect(fates).toHaveLength(400);
  expect(sizes.length).toBeGreaterThan(3);
  // A step has at most 60,000 characters and the brackets around its rows.
  expect(Math.max(...sizes)).toBeLessThanOrEqual(60_000 + 2 * 400);
});

test('a transcript comes whole: its parts have no ids of their own', async () => {
  verifies('archive.round-trip');
  const at = '2024-05-06T00:00:00.000Z';
  const person = '1'.repeat(18);
  const message = {
    id: person,
    author_id: person,
    author_name: 'fox',
    sent_at: at,
    text: 'Hi',
    attachments: [],
  };
  const part = (n: number) => ({ type: 'messages', ticket_id: 'tkt_a', part: n, messages: [message] });
  const ticket = {
    type: 'ticket',
    id: 'tkt_a',
    subject: 'A',
    opened_by: person,
    opened_at: at,
    closed_at: at,
  };
  const lines = [{ format: 'bailiff-archive', version: 1 }, ticket, part(1), part(2), part(2)];
  const file = new Blob(lines.map((line) => `${JSON.stringify(line)}\n`));
  const begun = await ask('imports', { source: 'bailiff', file_name: 'a.jsonl', file_size: 1 });
  const sendRows = async (rows: readonly object[]): Promise<readonly Fate[]> =>
    (await ask(`imports/${begun.body.import_id}/rows`, { rows })).body.fates;
  const fates = await sendFile(textOf(file), 'bailiff', sendRows, () => {});
  expect(fates?.map(({ fate }) => fate)).toEqual(['new', 'new', 'new', 'duplicate']);
  const { rows } = await web.db.pool.query(
    'SELECT jsonb_array_length(transcript) AS messages FROM tickets WHERE guild_id = $1',
    [guild.id],
  );
  expect(rows).toEqual([{ messages: 2 }]);
});

const ROW = `ban,${'1'.repeat(18)},2024-05-06,a,Spam`;
const HEAD = 'kind,user_id,issued_at,id,reason';
const UTF_16 = Buffer.from(`\ufeff${HEAD}\n${ROW}`, 'utf16le');
const ARCHIVE = '{"format":"bailiff-archive","version":1}';
const CASE = `{"type":"case","id":"a","kind":"ban","user_id":"${'1'.repeat(18)}","issued_at":"2024-05-06T00:00:00Z"}`;

test.each<[string, 'csv' | 'bailiff' | 'zeppelin' | 'masz', string | Buffer, object[]]>([
  ['nothing', 'csv', '', []],
  ['nothing', 'bailiff', '', []],
  ['nothing', 'zeppelin', '', []],
  ['only a heading', 'csv', HEAD, []],
  ['only its first line', 'bailiff', ARCHIVE, []],
  [
    'a byte order mark and lines as Windows ends them',
    'csv',
    `\ufeff${HEAD}\r\n${ROW}\r\n`,
    [{ fate: 'new' }],
  ],
  [
    'a byte order mark and lines as Windows ends them',
    'bailiff',
    `\ufeff${ARCHIVE}\r\n${CASE}\r\n`,
    [{ fate: 'new' }],
  ],
  [
    'a zip',
    'bailiff',
    Buffer.from('504b0304140000000800', 'hex'),
    [{ fate: 'refused', problem: 'unreadable' }],
  ],
  [
    'an archive of a later version',
    'bailiff',
    `{"format":"bailiff-archive","version":2}\n${CASE}`,
    [
      { line: 1, fate: 'refused', problem: 'unreadable' },
      { line: 2, fate: 'refused', problem: 'unreadable' },
    ],
  ],
])('a file with %s, said to be of %s, brings what can be read of it', async (_, source, file, expected) => {
  verifies('imports.bad-input');
  const sendRows = async (rows: readonly object[]): Promise<readonly Fate[]> =>
    (await ask('import-checks', { source, rows })).body.fates;
  const fates = await sendFile(
    textOf(new Blob([typeof file === 'string' ? file : new Uint8Array(file)])),
    source,
    sendRows,
    () => {},
  );
  expect(fates).toMatchObject(expected);
  expect(fates).toHaveLength(expected.length);
});

test.each([
  ['UTF-16', UTF_16],
  ['Windows-1252', Buffer.from(`${HEAD}\n${ROW}\n${ROW} für Müller`, 'latin1')],
])('a file in %s is no file of records: its letters would be lost', async (_, file) => {
  verifies('imports.bad-input');
  const sendRows = async (rows: readonly object[]): Promise<readonly Fate[]> =>
    (await ask('import-checks', { source: 'csv', rows })).body.fates;
  const sent = sendFile(textOf(new Blob([new Uint8Array(file)])), 'csv', sendRows, () => {});
  await expect(sent).rejects.toThrow(NotUtf8);
});

test('a case and a note that have the same id in a file are two things', async () => {
  verifies('imports.dashboard');
  const by = `${'1'.repeat(18)},2024-05-06,7`;
  const file = ['kind,user_id,issued_at,id,reason', `warning,${by},Spam`, `note,${by},Calm since`].join('\n');
  const fates = await send(file, 'import-checks', { source: 'csv' });
  expect(fates).toMatchObject([{ fate: 'new' }, { fate: 'new' }]);
});
