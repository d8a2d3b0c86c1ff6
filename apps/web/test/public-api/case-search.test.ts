import type { Capability } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
  const { memberId, strangerId, moderatorId, ownerId } = api.guild;
  await record('strike', memberId, 'Griefing in the market square', moderatorId, '2026-01-01T12:00:00Z');
  await record('ban', memberId, 'Griefing again', ownerId, '2026-02-01T12:00:00Z');
  await record('mute', strangerId, 'Insults', moderatorId, '2026-03-01T12:00:00Z');
  await record('kick', strangerId, 'Grief of another kind', ownerId, '2026-04-01T12:00:00Z');
});
afterAll(() => api.close());

async function record(kind: string, userId: string, reason: string, by: string, at: string): Promise<void> {
  const { rows } = await api.database.pool.query<{ id: string }>(
    `SELECT id FROM open_case($1, $2, $3, $4, $5, $6, NULL, NULL, $7)`,
    [api.guild.id, kind, kind.slice(0, 3), userId, reason, by, kind === 'strike' ? 'minor' : null],
  );
  await api.database.pool.query('UPDATE cases SET issued_at = $2 WHERE id = $1', [rows[0]?.id, at]);
}

const tokenWith = (...capabilities: Capability[]) => seedToken(api.database, api.guild, { capabilities });

interface Found {
  readonly data: readonly { readonly case_number: number; readonly kind: string }[];
  readonly next_cursor: string | null;
}

async function found(query: string, token?: Awaited<ReturnType<typeof tokenWith>>): Promise<number[]> {
  const { status, body } = await api.inGuild(`/cases${query}`, token === undefined ? {} : { token });
  expect(status, JSON.stringify(body)).toBe(200);
  const { data }: Found = body;
  return data.map(({ case_number }) => case_number);
}

it('cases of all kinds are found by words, person, moderator, kind, standing and time, newest first', async () => {
  verifies('cases.search');
  const { memberId, moderatorId } = api.guild;
  expect(await found('')).toEqual([4, 3, 2, 1]);
  expect(await found('?words=grief')).toEqual([4, 2, 1]);
  expect(await found('?words=square%20griefing')).toEqual([1]);
  expect(await found('?words=iefing')).toEqual([]);
  expect(await found('?words=g%20gr%20gri%20s%20sq%20i%20m%20ma')).toEqual([1]);
  expect(await found(`?user_id=${memberId}`)).toEqual([2, 1]);
  expect(await found(`?issued_by=${moderatorId}`)).toEqual([3, 1]);
  expect(await found('?kind=kick')).toEqual([4]);
  expect(await found('?since=2026-02-01T12:00:00Z&until=2026-04-01T12:00:00Z')).toEqual([3, 2]);
  expect(await found(`?words=grief&user_id=${memberId}&until=2026-01-15T00:00:00Z`)).toEqual([1]);
  await api.database.pool.query('UPDATE cases SET ended_at = now() WHERE guild_id = $1 AND case_number = 2', [
    api.guild.id,
  ]);
  expect(await found('?active=false')).toEqual([2]);
  expect(await found('?active=true&words=grief')).toEqual([4, 1]);
});

it('a page ends where the next one begins, and its cursor is for the same search only', async () => {
  verifies('cases.search');
  const first = await api.inGuild('/cases?words=grief&limit=2');
  const { data, next_cursor: cursor }: Found = first.body;
  expect(data.map(({ case_number }) => case_number)).toEqual([4, 2]);
  expect((await api.inGuild(`/cases?words=grief&limit=2&cursor=${cursor}`)).body).toMatchObject({
    data: [{ case_number: 1 }],
    next_cursor: null,
  });
  for (const path of [`/cases?words=griefing&cursor=${cursor}`, `/strikes?cursor=${cursor}`]) {
    expect(await api.inGuild(path)).toMatchObject({
      status: 400,
      body: { error: { code: 'VALIDATION_FAILED' } },
    });
  }
});

it.each(['', '&words=brought%20or'])(
  'a page goes on where the one before it ended, also when the case there is gone meanwhile%s',
  async (words) => {
    verifies('cases.search');
    const { memberId, ownerId } = api.guild;
    const days = [10, 11, 12, 13, 14];
    for (const day of days)
      await record('ban', memberId, 'Brought or not', ownerId, `2025-06-${day}T12:00:00.123Z`);
    const page = async (cursor: string | null): Promise<Found> => {
      const from = cursor === null ? '' : `&cursor=${cursor}`;
      return (await api.inGuild(`/cases?limit=2&until=2025-12-31T00:00:00Z${words}${from}`)).body;
    };
    const first = await page(null);
    const numbers = ({ data }: Found) => data.map(({ case_number }) => case_number);
    const [newest = 0, last = 0] = numbers(first);
    expect(last).toBe(newest - 1);
    // As an import that is undone.
    await api.database.pool.query('DELETE FROM cases WHERE guild_id = $1 AND case_number = $2', [
      api.guild.id,
      last,
    ]);
    const second = await page(first.next_cursor);
    expect(numbers(second)).toEqual([last - 1, last - 2]);
    const third = await page(second.next_cursor);
    expect([numbers(third), third.next_cursor]).toEqual([[last - 3], null]);
    await api.database.pool.query("DELETE FROM cases WHERE guild_id = $1 AND issued_at < '2026-01-01'", [
      api.guild.id,
    ]);
  },
);

it.each(['%3F!', '%F0%9F%94%A5', 'a%20b%20c%20d%20e%20f%20g%20h%20i'])(
  'words=%s, without a word or with more than are looked for, is refused and not ignored',
  async (words) => {
    verifies('cases.search');
    expect(await api.inGuild(`/cases?words=${words}`)).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'VALIDATION_FAILED',
          details: { issues: [{ path: 'words', message: 'must hold 1 to 8 words of letters or digits' }] },
        },
      },
    });
  },
);

it('nobody finds cases of kinds that they may not read, and without any such capability the search is denied', async () => {
  verifies('cases.search.kinds');
  const bans = await tokenWith('bans.read');
  expect(await found('', bans)).toEqual([4, 2]);
  expect(await found('?words=grief', bans)).toEqual([4, 2]);
  expect(await found('?kind=strike', bans)).toEqual([]);
  expect(await found('?words=market&kind=strike', bans)).toEqual([]);
  expect(await api.inGuild('/cases', { token: await tokenWith('tickets.read') })).toMatchObject({
    status: 403,
    body: { error: { code: 'CAPABILITY_DENIED' } },
  });
});
