import { OPERATIONS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { caseSearchCursor } from '@bailiff/engine/cases/case-search';
import { expect, test } from 'vitest';
import { pageOfButton } from '#src/chat/case-pages.ts';
import { searchOfButton, searchReply } from '#src/chat/case-search.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['strikes.read', 'strikes.write'] }, (made) => {
  stage = made;
});

const query = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);

/** Cases on record, with the longest reasons that there are. */
const record = (user: string, count: number) =>
  query(
    `SELECT open_case($1, 'strike', 'str', $2, repeat('_*', 256), $3, NULL, NULL, 'minor')
     FROM generate_series(1, $4)`,
    [stage.guildId, stage.people[user], stage.people.moderator, count],
  );

type Answer = Awaited<ReturnType<ChatStage['does']>>;

const numbersIn = ({ message }: Answer) =>
  [...(message?.content ?? '').matchAll(/^`#(\d+)`/gm)].map(([, number]) => Number(number));

const shownButtonsOf = ({ message }: Answer) =>
  ((message?.components ?? []) as { components: { custom_id: string; label: string }[] }[]).flatMap(
    ({ components }) => components,
  );
const buttonsOf = (answer: Answer) => shownButtonsOf(answer).map(({ custom_id }) => custom_id);

/** Every case number that the pages show, from the first answer on. */
async function walk(user: string, first: Answer): Promise<number[]> {
  const message_id = first.message?.id ?? '';
  const seen = numbersIn(first);
  let shown = first;
  for (;;) {
    const older = buttonsOf(shown).find((id) => /^page:(s:.*:[0-9a-z]+:[^:]*|.*\d)$/.test(id));
    if (older === undefined) return seen;
    shown = await stage.does({ type: 'button', user, message_id, custom_id: older });
    expect(shown.message?.id).toBe(message_id);
    seen.push(...numbersIn(shown));
  }
}

const downFrom = (count: number) => Array.from({ length: count }, (_, at) => count - at);

test('/history shows all cases of somebody, page by page, however long their reasons are', async () => {
  verifies('history.pages');
  await record('troll', 23);
  const first = await stage.does({
    type: 'command',
    user: 'moderator',
    command: 'history',
    options: { user: 'troll' },
  });
  expect(first.message?.content).toMatch(/^\*\*23 cases\*\* of/);
  const press = (label: string, shown: Answer) => {
    const custom_id = shownButtonsOf(shown).find((each) => each.label === label)?.custom_id ?? '';
    return stage.does({ type: 'button', user: 'moderator', message_id: first.message?.id ?? '', custom_id });
  };
  const second = await press('Older', first);
  expect(numbersIn(second)[0]).toBe(23 - numbersIn(first).length);
  expect(numbersIn(await press('Newest', second))).toEqual(numbersIn(first));
  expect(await walk('moderator', first)).toEqual(downFrom(23));
});

/** Twelve cases of somebody, of which all but the first were brought in later and are years older, the newest last. */
async function recordWithImport(): Promise<void> {
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, severity, import_id, issued_at)
     SELECT new_id('str'), $1, n, 'strike', $2, 'x', $3, 'minor', CASE WHEN n > 1 THEN 'imp_1' END,
       CASE n WHEN 1 THEN now() WHEN 12 THEN '2022-11-01' ELSE timestamptz '2022-01-01' + n / 2 * interval '1 day' END
     FROM generate_series(1, 12) AS n`,
    [stage.guildId, stage.people.troll, stage.people.moderator],
  );
}

test.each([
  ['/history', 'moderator', 'history', { user: 'troll' }],
  ['/my record', 'troll', 'my record', {}],
] as const)(
  '%s shows imported cases where their time is, on every page, each once',
  async (_, user, command, options) => {
    verifies('history.pages', 'imports.rows');
    await recordWithImport();
    const first = await stage.does({ type: 'command', user, command, options });
    expect(await walk(user, first)).toEqual([1, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  },
);

test('a page of ten has no button to an empty one', async () => {
  verifies('history.pages');
  await query(
    `SELECT open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor') FROM generate_series(1, 10)`,
    [stage.guildId, stage.people.troll, stage.people.moderator],
  );
  const first = await stage.does({ type: 'command', user: 'troll', command: 'my record', options: {} });
  expect(numbersIn(first)).toEqual(downFrom(10));
  expect(buttonsOf(first)).toEqual([]);
});

test('/my record shows the own cases only, without who did it, to somebody without any role', async () => {
  verifies('record.own');
  expect(await stage.says('troll', 'my record')).toBe('Nothing is on record about you on this server.');
  await record('troll', 12);
  await record('member', 1);
  await query("UPDATE cases SET ended_at = now(), ended_by = $2, end_reason = 'secret' WHERE guild_id = $1", [
    stage.guildId,
    stage.people.owner,
  ]);
  const first = await stage.does({ type: 'command', user: 'troll', command: 'my record', locale: 'de' });
  expect(first.message?.content).toMatch(/^\*\*12 Fälle\*\* über Sie auf diesem Server.*zurückgenommen/s);
  expect(await walk('troll', first)).toEqual(downFrom(12));
  for (const hidden of ['moderator', 'owner', 'member'])
    expect(first.message?.content).not.toContain(stage.people[hidden]);
  expect(first.message?.content).not.toContain('secret');
});

test('/case search shows what it finds page by page, with the same search on each', async () => {
  verifies('cases.search', 'cases.search.chat');
  await record('troll', 23);
  await query("UPDATE cases SET reason = 'Griefing: ' || left(reason, 400) WHERE case_number % 2 = 1");
  const search = (options: Record<string, string | boolean>) =>
    stage.does({ type: 'command', user: 'moderator', command: 'case search', options });
  const first = await search({ words: 'grief', user: 'troll', kind: 'strike', active: true, since: '30d' });
  expect(first.message?.content).toMatch(/^\*\*Cases that match\*\*, newest first/);
  expect(await walk('moderator', first)).toEqual(downFrom(23).filter((number) => number % 2 === 1));
  // So many cases have the word, but none of the newest, that the search stops before the first of them.
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at)
     SELECT new_id('str'), $1, 100 + n, 'strike', $2, CASE WHEN n > 1100 THEN 'x' ELSE 'vandalism' END, $2,
            now() - interval '1 day' + make_interval(secs => n)
     FROM generate_series(1, 1350) AS n`,
    [stage.guildId, stage.people.member],
  );
  const far = await search({ words: 'vandal', user: 'member' });
  expect(far.message?.content).toMatch(/^No match among the newest cases/);
  const [next = ''] = buttonsOf(far);
  const message_id = far.message?.id ?? '';
  const second = await stage.does({ type: 'button', user: 'moderator', message_id, custom_id: next });
  expect(numbersIn(second)[0]).toBe(1200);
  expect((await search({ words: 'harbour' })).message?.content).toBe('No case that you may read matches.');
  expect((await search({ moderator: 'troll' })).message?.content).toBe('No case that you may read matches.');
});

test('the button of the longest search holds all of it', () => {
  verifies('cases.search.chat');
  const id = '18446744073709551615';
  const input = {
    words: '🦓'.repeat(20),
    user_id: id,
    issued_by: id,
    kind: 'softban',
    active: false,
    since: '2015-01-01T00:00:00Z',
    until: '2099-12-31T23:59:59Z',
    limit: 10,
  } as const;
  const shown = { ...OPERATIONS['cases.get'].example.output, case_number: 999_999_999 };
  const { components } = searchReply(
    { data: [shown], next_cursor: caseSearchCursor(id, input, { number: shown.case_number }) },
    input,
    {
      guildId: id,
      locale: 'en',
      names: {},
    },
  );
  const [, customId = ''] = /"custom_id":"([^"]+)"/.exec(JSON.stringify(components)) ?? [];
  expect(customId.length).toBeLessThanOrEqual(100);
  expect(searchOfButton(customId, id)).toEqual({
    operation: 'cases.search',
    input: {
      ...input,
      since: '2015-01-01T00:00:00.000Z',
      until: '2099-12-31T23:59:00.000Z',
      cursor: expect.any(String),
    },
  });
});

test('what a button shows stands in the button, so that it works after a restart', () => {
  verifies('history.pages');
  expect(pageOfButton('page:cases.list:834989431927603201:13')).toEqual({
    operation: 'cases.list',
    input: { user_id: '834989431927603201', before_number: 13 },
  });
  expect(pageOfButton('page:cases.own::')).toEqual({ operation: 'cases.own', input: {} });
  expect(pageOfButton('page:cases.own:834989431927603201:1')).toBeNull();
});
