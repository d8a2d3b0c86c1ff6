import { verifies } from '@bailiff/core/testing';
import type { SeededGuild } from '@bailiff/engine/testing';
import { expect, it } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { type Person, signedIn, type TestWeb } from './support.ts';

const CATEGORY = { name: 'Griefing', description: '', questions: ['Who?'], role_ids: [] };
const SETTINGS = {
  categories: [CATEGORY, { ...CATEGORY, name: 'Other', questions: [] }],
  most_open_of_person: 2,
  most_open_of_guild: 40,
  cooldown_minutes: 15,
};

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

it('the owner sets what members are asked for a ticket, and nobody else', async () => {
  verifies('tickets.settings');
  const path = `/api/guilds/${guild.id}/ticket-settings`;
  const moderator = await signedIn(web, guild.moderatorId);
  expect((await moderator.call('PUT', path, SETTINGS)).status).toBe(404);
  expect(await owner.call('PUT', path, SETTINGS)).toMatchObject({ status: 200, body: SETTINGS });
  for (const wrong of [
    { ...SETTINGS, categories: [CATEGORY, { ...CATEGORY, name: ' Griefing ' }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, name: '' }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, name: 'x'.repeat(61) }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, questions: Array(5).fill('Who?') }] },
    { ...SETTINGS, categories: [{ ...CATEGORY, role_ids: ['everyone'] }] },
    { ...SETTINGS, categories: Array.from({ length: 26 }, (_, n) => ({ ...CATEGORY, name: `${n}` })) },
    { ...SETTINGS, most_open_of_person: 0 },
    { ...SETTINGS, most_open_of_guild: 401 },
    { ...SETTINGS, cooldown_minutes: -1 },
  ]) {
    expect((await owner.call('PUT', path, wrong)).status).toBe(422);
  }
  const { rows } = await web.db.pool.query(
    "SELECT details FROM audit WHERE guild_id = $1 AND operation = 'tickets.settings'",
    [guild.id],
  );
  expect(rows).toEqual([{ details: SETTINGS }]);
});
