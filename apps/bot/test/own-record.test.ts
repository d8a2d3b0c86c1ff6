import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { pageOfButton } from '#src/chat/case-pages.ts';
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

const buttonsOf = ({ message }: Answer) =>
  [...JSON.stringify(message?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g)].map(([, id]) => id ?? '');

/** Every case number that the pages show, from the first answer on. */
async function walk(user: string, first: Answer): Promise<number[]> {
  const message_id = first.message?.id ?? '';
  const seen = numbersIn(first);
  let shown = first;
  for (;;) {
    const older = buttonsOf(shown).find((id) => /\d$/.test(id));
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
  expect(await walk('moderator', first)).toEqual(downFrom(23));
});

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

test('what a button shows stands in the button, so that it works after a restart', () => {
  verifies('history.pages');
  expect(pageOfButton('page:cases.list:834989431927603201:13')).toEqual({
    operation: 'cases.list',
    input: { user_id: '834989431927603201', before_number: 13 },
  });
  expect(pageOfButton('page:cases.own::')).toEqual({ operation: 'cases.own', input: {} });
  expect(pageOfButton('page:cases.own:834989431927603201:1')).toBeNull();
});
