import { verifies } from '@bailiff/core/testing';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRemovable } from './destructive-calls.ts';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

it('nobody’s appeal is refused over a token that the owner has not allowed to, nor without its sentinel', async () => {
  verifies('appeals.refuse');
  const { appealId: id } = await openRemovable(api.database, api.guild);
  const token = await seedToken(api.database, api.guild);
  const reply = 'See https://example.com';
  const refuse = (_confirmation?: string) =>
    api.inGuild(`/appeals/${id}/refuse`, { method: 'POST', token, body: { reply, _confirmation } });
  const sentinel = `REFUSE APPEAL ${id} IN GUILD ${api.guild.id}`;
  expect(await refuse(sentinel)).toMatchObject({
    status: 403,
    body: { error: { code: 'RE_AUTH_REQUIRED', details: { approval_state: 'pending' } } },
  });
  await seedWindow(api.database, api.guild, token);
  for (const other of [undefined, `REFUSE APPEAL apl_${'0'.repeat(32)} IN GUILD ${api.guild.id}`]) {
    expect(await refuse(other)).toMatchObject({
      status: 422,
      body: { error: { code: 'INVALID_CONFIRMATION' } },
    });
  }
  expect((await api.inGuild(`/appeals/${id}`)).body).toMatchObject({ state: 'sent', reply: null });
  expect((await refuse(sentinel)).body.appeal).toMatchObject({ state: 'refused', reply });
});
