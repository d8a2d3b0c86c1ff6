import type { Capability } from '@bailiff/core';
import { grantRole } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

/** The API, and a new ticket of the member for each test. The moderators hold the capability. */
export function oneTicketForEachTest(
  capability: Capability,
  use: (made: { api: PublicApiHarness; id: string }) => void,
): void {
  let api: PublicApiHarness;
  beforeAll(async () => {
    api = await startPublicApi();
    await grantRole(api.database, api.guild, api.guild.moderatorRoleId, [capability]);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    await api.database.pool.query('TRUNCATE tickets, budgets CASCADE');
    const { rows } = await api.database.pool.query<{ id: string }>(
      `INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'help', $2) RETURNING id`,
      [api.guild.id, api.guild.memberId],
    );
    for (const { id } of rows) use({ api, id });
  });
}
