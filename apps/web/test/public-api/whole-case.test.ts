import type { Capability } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const query = async (sql: string, values: unknown[]) => (await api.database.pool.query(sql, values)).rows;
const tokenWith = (...capabilities: Capability[]) => seedToken(api.database, api.guild, { capabilities });

async function opened(kind: string, prefix: string): Promise<string> {
  const { id, memberId, ownerId } = api.guild;
  const [row] = await query("SELECT id FROM open_case($1, $2, $3, $4, 'Spam', $5, 60, NULL, $6)", [
    id,
    kind,
    prefix,
    memberId,
    ownerId,
    kind === 'strike' ? 'minor' : null,
  ]);
  return row.id;
}

it('a case comes with its links, changes and evidence, and those linked cases that the token may read', async () => {
  verifies('cases.get');
  const [strike, ban, mute] = [
    await opened('strike', 'str'),
    await opened('ban', 'ban'),
    await opened('mute', 'mut'),
  ];
  const { id: guildId, ownerId } = api.guild;
  await query(
    'INSERT INTO case_links (guild_id, case_id, other_id, linked_by) VALUES ($1, $2, $3, $5), ($1, $2, $4, $5)',
    [guildId, ban, strike, mute, ownerId],
  );
  await query("SELECT change_case($1, 'act_1', $2, 'A week', '{\"duration_minutes\": null}')", [
    ban,
    ownerId,
  ]);
  await query("SELECT keep_evidence($1, 'proof.png', 3, '\\x61', NULL)", [ban]);
  await query("SELECT keep_evidence($1, 'film.mp4', 9000000, NULL, 'too_large')", [ban]);
  await query(
    `INSERT INTO case_messages (guild_id, case_id, channel_id, message_id, author_id, text)
     VALUES ($1, $2, '175928847299117063', '1574064500754087967', $3, 'Free coins')`,
    [guildId, ban, ownerId],
  );
  const { status, body } = await api.inGuild(`/cases/${ban}`, {
    token: await tokenWith('bans.read', 'mutes.read'),
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    id: ban,
    kind: 'ban',
    expires_at: null,
    links: [{ id: mute, kind: 'mute' }],
    changes: [
      {
        changed_by: ownerId,
        why: 'A week',
        before: { duration_minutes: 60, expires_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) },
        after: { duration_minutes: null, expires_at: null },
      },
    ],
    evidence: [
      {
        name: 'proof.png',
        size_bytes: 1,
        sha256: 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb',
        problem: null,
      },
      { name: 'film.mp4', size_bytes: 9_000_000, sha256: null, problem: 'too_large' },
    ],
    messages: [
      {
        ...{ channel_id: '175928847299117063', message_id: '1574064500754087967', author_id: ownerId },
        ...{ text: 'Free coins', sent_at: '2026-11-22T14:10:21.684Z' },
        attached_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      },
    ],
  });
});

it('a token that may not read the kind of a case learns nothing of it', async () => {
  verifies('cases.get');
  const token = await tokenWith('strikes.read');
  const read = (id: string) => api.inGuild(`/cases/${id}`, { token });
  const [refused, absent] = [await read(await opened('ban', 'ban')), await read(`ban_${'0'.repeat(32)}`)];
  for (const { status, body } of [refused, absent]) {
    expect([status, body.error.details]).toEqual([403, { missing: ['bans.read'] }]);
  }
  expect((await read(`str_${'0'.repeat(32)}`)).status).toBe(404);
  expect((await read('12')).status).toBe(400);
});
