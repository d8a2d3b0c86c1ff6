import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

beforeAll(async () => {
  web = await startTestWeb();
});
afterAll(() => web.close());
beforeEach(async () => {
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
});

it.each([
  [null, 'UPDATE guilds SET mirror_problem = NULL'],
  ['comparing', 'UPDATE guilds SET mirrored_at = NULL'],
  ['no_access', "UPDATE guilds SET mirrored_at = NULL, mirror_problem = 'no_access'"],
  ['rate_limited', "UPDATE guilds SET mirrored_at = NULL, mirror_problem = 'rate_limited'"],
  ['disconnected', "UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'"],
])('a page that looks hears %s as the trouble of its guild', async (trouble, change) => {
  verifies('dashboard.state-said');
  await web.db.pool.query(change);
  const { status, body } = await owner.call('GET', `/api/guilds/${guild.id}/state`);
  expect([status, body]).toEqual([200, { trouble }]);
});
