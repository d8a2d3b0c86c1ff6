// Clients that well-known generators make of docs/openapi.json alone, each in a program of its own. `npm run typecheck` checks these programs.
import { resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedToken } from '@bailiff/engine/testing';
import { beforeAll, expect, it } from 'vitest';
import { guildForEachTest } from '#test/each-test.ts';
import { askAsClient, callWithToken, type Person, serve, type TestWeb } from '#test/support.ts';
import { runProgram } from './run-program.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..', '..');
const FOLDER = resolve(ROOT, 'packages', 'generated-clients');

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});
beforeAll(async () => {
  const { code, printed, errors } = await runProgram(process.execPath, [resolve(FOLDER, 'generate.ts')]);
  expect([code, printed + errors]).toEqual([0, '']);
});

/** The device code of a request for `bans.read` that the owner has consented to. */
async function consented(): Promise<string> {
  const fields = { client_id: 'bailiff-cli', scope: 'bans.read' };
  const { body } = await askAsClient(web, '198.51.100.1', '/api/oauth/device/code', fields);
  const choice = { user_code: body.user_code, guild_id: guild.id };
  expect((await owner.call('POST', '/api/device/confirm', choice)).status).toBe(200);
  return body.device_code;
}

it.each(['openapi-fetch', 'hey-api', 'oazapfts'])(
  '%s reads, pages, is refused, waits for the owner, strikes once and gets a token',
  async (name) => {
    verifies('openapi.generated-clients');
    const token = await seedToken(web.db, guild);
    for (const _ of [1, 2, 3])
      await callWithToken(web.runtime, token.secret, 'GET', `/guilds/${guild.id}/bans`);
    const server = await serve(web);
    const program = await runProgram(process.execPath, [resolve(FOLDER, 'src', `${name}.ts`)], {
      env: {
        BAILIFF: server.base,
        TOKEN: token.secret,
        GUILD: guild.id,
        USER_ID: guild.memberId,
        DEVICE_CODE: await consented(),
      },
      decide: async (id) => {
        const { status } = await owner.call('POST', `/api/approvals/${id}`, { decision: 'call' });
        expect(status).toBe(200);
      },
    });
    server.close();
    expect([program.code, program.errors]).toEqual([0, '']);
    const { rows } = await web.db.pool.query<{ id: string }>(
      `SELECT id FROM audit WHERE guild_id = $1 AND operation = 'bans.list' ORDER BY id DESC`,
      [guild.id],
    );
    const { rows: strikes } = await web.db.pool.query<{ id: string }>(
      "SELECT id FROM cases WHERE guild_id = $1 AND kind = 'strike'",
      [guild.id],
    );
    expect(strikes).toHaveLength(1);
    const reads = rows.map(({ id }) => id);
    const [strike] = strikes.map(({ id }) => id);
    expect(JSON.parse(program.printed.trimEnd().split('\n').at(-1) ?? '')).toEqual({
      guild: guild.id,
      windowUntil: null,
      pages: [reads.slice(0, 2), reads.slice(2)],
      missing: { code: 'NOT_FOUND', status: 404 },
      wrongFields: ['limit'],
      parked: { code: 'RE_AUTH_REQUIRED', approvalState: 'pending' },
      decided: 'approved',
      strike,
      again: { strike, replayed: 'true' },
      undecided: 'authorization_pending',
      scope: 'bans.read',
      grantedFor: guild.id,
    });
  },
);
