import type { Capability } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { type CaseKind, openCase } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { seedToken } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const open = (kind: CaseKind, userId = api.guild.memberId) =>
  inTransaction(api.database, (tx) =>
    openCase(tx, {
      ...{ guildId: api.guild.id, kind, userId, reason: 'spam', issuedBy: api.guild.ownerId, actionId: null },
      ...(kind === 'strike' ? { severity: 'minor' } : {}),
    }),
  );
const tokenWith = (capabilities: Capability[]) => seedToken(api.database, api.guild, { capabilities });

it('a token changes the reason of a case whose kind it may write, and learns nothing of others', async () => {
  verifies('cases.edit', 'cases.edit.who', 'cases.edit.token');
  const token = await tokenWith(['strikes.write', 'strikes.read']);
  const [strike, ban] = [await open('strike'), await open('ban')];
  const edit = (id: string, by = token) =>
    api.inGuild(`/cases/${id}`, { method: 'PATCH', token: by, body: { reason: 'advertising' } });
  const edited = await edit(strike.id);
  expect(edited.status).toBe(200);
  expect(edited.body.case).toMatchObject({ id: strike.id, kind: 'strike', reason: 'advertising' });
  const refused = await edit(ban.id);
  expect([refused.status, refused.body.error.details]).toEqual([403, { missing: ['bans.write'] }]);
  const absent = await edit(`ban_${'0'.repeat(32)}`);
  expect([absent.status, absent.body.error.details]).toEqual([403, { missing: ['bans.write'] }]);
  expect((await edit(`str_${'0'.repeat(32)}`)).status).toBe(404);
  expect((await edit(`tok_${'0'.repeat(32)}`)).status).toBe(400);

  // Nor does it read the action of one who may.
  await edit(ban.id, await tokenWith(['bans.write']));
  const { rows } = await api.database.pool.query(
    "SELECT id FROM actions WHERE operation = 'cases.edit' AND target_id = $1",
    [ban.id],
  );
  const read = await api.inGuild(`/actions/${rows[0].id}`, { token });
  expect([read.status, read.body.error.details]).toEqual([403, { missing: ['bans.write'] }]);
});

it('a token uses up half of the changes of a case, and people can set its reason right after that', async () => {
  verifies('cases.edit.limits');
  const ban = await open('ban');
  await api.database.pool.query(
    `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
     SELECT guild_id, id, 'act_1', issued_by, '{}', '{}' FROM cases, generate_series(1, 24) WHERE id = $1`,
    [ban.id],
  );
  const edit = (reason: string) => api.inGuild(`/cases/${ban.id}`, { method: 'PATCH', body: { reason } });
  expect((await edit('the 25th')).status).toBe(200);
  // Whoever lost that answer sends the same again.
  expect(await edit('the 25th')).toMatchObject({ status: 200, body: { case: { reason: 'the 25th' } } });
  const refused = await edit('the 26th');
  expect([refused.status, refused.body.error.details]).toEqual([403, { reason: 'CASE_CHANGE_LIMIT' }]);
  const { guild, database } = api;
  const byOwner = performForPerson(
    { ...api.engine, db: database },
    {
      operation: 'cases.edit',
      guildId: guild.id,
      input: { caseId: ban.id, reason: 'spam' },
      actor: { source: 'chat', userId: guild.ownerId },
      requestId: 'req_1',
      address: null,
    },
  );
  expect((await byOwner).body).toMatchObject({ case: { reason: 'spam' } });
});

it('another severity waits for the owner, and a case about the token’s issuer is not changed', async () => {
  verifies('cases.edit.token', 'strikes.change');
  const strike = await open('strike');
  const body = { severity: 'major' };
  const asked = await api.inGuild(`/strikes/${strike.id}`, { method: 'PATCH', body });
  expect(asked.body.error.code).toBe('RE_AUTH_REQUIRED');
  const own = await open('warning', api.guild.ownerId);
  const refused = await api.inGuild(`/cases/${own.id}`, { method: 'PATCH', body: { reason: 'nothing' } });
  expect([refused.status, refused.body.error.details]).toEqual([403, { reason: 'TARGET_IS_SELF' }]);
});
