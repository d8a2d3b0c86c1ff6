import { verifies } from '@bailiff/core/testing';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { keepIdentity } from '@bailiff/engine/servers/identities';
import { seedGuild, seedToken, seedWindow, snowflake } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());
beforeEach(() => api.database.pool.query('DELETE FROM identities; DELETE FROM budgets'));

const add = (userId: string, platform: string, in_game_id: string, more: object = {}) =>
  api.inGuild(`/members/${userId}/identities`, { method: 'POST', body: { platform, in_game_id }, ...more });
const listed = async (query = '') =>
  (await api.inGuild(`/identities${query}`)).body.data.map(
    ({ in_game_id }: { in_game_id: string }) => in_game_id,
  );

it('an identity is kept once, found in any case, and removed', async () => {
  verifies('identities.kept');
  const { memberId, ownerId } = api.guild;
  const added = await add(memberId, 'minecraft', 'BlockBreaker');
  expect(added).toMatchObject({
    status: 201,
    body: { identity: { user_id: memberId, in_game_id: 'BlockBreaker', set_by: ownerId } },
  });
  expect((await add(memberId, 'minecraft', 'blockbreaker')).body).toEqual(added.body);
  await add(memberId, 'steam', 'STEAM_0:0:11101');
  expect(await listed(`?user_id=${memberId}`)).toEqual(['76561197960287930', 'BlockBreaker']);
  expect(await listed('?in_game_id=BLOCKBREAKER')).toEqual(['BlockBreaker']);
  expect(await listed(`?in_game_id=blockbreaker&user_id=${snowflake()}`)).toEqual([]);
  const { id } = added.body.identity;
  const remove = (userId: string) => api.inGuild(`/members/${userId}/identities/${id}`, { method: 'DELETE' });
  // Not by the id of somebody else.
  expect((await remove(snowflake())).status).toBe(404);
  expect(await remove(memberId)).toMatchObject({ status: 200, body: { identity: { id } } });
  expect((await remove(memberId)).status).toBe(404);
  expect(await listed()).toEqual(['76561197960287930']);
  const { rows } = await api.database.pool.query(
    "SELECT outcome, target_id FROM audit WHERE operation = 'identities.remove' AND outcome = 'performed'",
  );
  expect(rows).toEqual([{ outcome: 'performed', target_id: memberId }]);
});

it.each([
  ['steam', 'STEAM_0:1:12345', '76561197960290419', ['[U:1:24691]', ' u:1:24691 ', '76561197960290419']],
  [
    'minecraft_uuid',
    '069a79f444e94726a5befca90e38aaf5',
    '069a79f4-44e9-4726-a5be-fca90e38aaf5',
    ['069A79F4-44E9-4726-A5BE-FCA90E38AAF5', '069A79F444E94726A5BEFCA90E38AAF5 '],
  ],
  ['eos', '0002A79F444E94726A5BEFCA90E38AAF', '0002a79f444e94726a5befca90e38aaf', []],
  ['xbox', ' Major Nelson ', 'Major Nelson', ['major nelson']],
  ['other', ' Ævar ', 'Ævar', ['ævar ']],
])(
  'an identity of the kind %s is found by %s, as it was added, and by its other spellings',
  async (platform, text, kept, others) => {
    verifies('identities.kept');
    const { memberId } = api.guild;
    expect(await add(memberId, platform, text)).toMatchObject({
      status: 201,
      body: { identity: { in_game_id: kept } },
    });
    await add(snowflake(), 'minecraft', 'Somebody');
    for (const asked of [text, kept, ...others]) {
      const query = `?in_game_id=${encodeURIComponent(asked)}`;
      expect(await listed(query), asked).toEqual([kept]);
      expect(await listed(`${query}&user_id=${memberId}`), asked).toEqual([kept]);
    }
    expect(await listed('?in_game_id=STEAM_0:1:12346')).toEqual([]);
  },
);

it('a page of the identities of one spelling goes on where the one before it ended', async () => {
  verifies('identities.kept');
  const text = '069A79F444E94726A5BEFCA90E38AAF5';
  for (const platform of ['eos', 'minecraft_uuid', 'other']) await add(snowflake(), platform, text);
  const page = async (more = '') => (await api.inGuild(`/identities?in_game_id=${text}&limit=2${more}`)).body;
  const first = await page();
  const second = await page(`&cursor=${first.next_cursor}`);
  expect([...first.data, ...second.data].map((each) => each.platform)).toEqual([
    'other',
    'minecraft_uuid',
    'eos',
  ]);
  expect(second.next_cursor).toBeNull();
});

it('an identity is one person’s, also if two tokens give it to two people at once', async () => {
  verifies('identities.one-person');
  const people = Array.from({ length: 8 }, () => snowflake());
  const tokens = [api.token, await seedToken(api.database, api.guild)];
  const answers = await Promise.all(
    people.map((userId, nth) => add(userId, 'minecraft', 'Notch', { token: tokens[nth % 2] })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  for (const { status, body } of answers) {
    if (status !== 201) expect([status, body.error.details.reason]).toEqual([403, 'IDENTITY_TAKEN']);
  }
  expect(await listed()).toEqual(['Notch']);
  // The same name of another kind is another identity, and so is one in another guild.
  expect((await add(snowflake(), 'other', 'Notch')).status).toBe(201);
  const other = await seedGuild(api.database);
  const token = await seedToken(api.database, other, { capabilities: ['strikes.write'] });
  const path = `/guilds/${other.id}/members/${snowflake()}/identities`;
  const body = { platform: 'minecraft', in_game_id: 'Notch' };
  expect((await api.call(path, { method: 'POST', token, body })).status).toBe(201);
});

it('whoever asks for an identity while somebody is being given it waits, and learns that it is taken', async () => {
  verifies('identities.one-person');
  const { id: guildId, memberId, ownerId } = api.guild;
  const wanted = {
    guildId,
    userId: memberId,
    platform: 'minecraft',
    identity: 'Notch',
    setBy: ownerId,
  } as const;
  const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const second = await inTransaction(api.database, async (tx) => {
    const first = await keepIdentity(tx, wanted);
    if (first.state === 'done') await first.write(tx, 'act_first');
    const answer = add(snowflake(), 'minecraft', 'Notch');
    await expect.poll(async () => (await api.database.pool.query(waits)).rowCount).toBe(1);
    return { answer };
  });
  const { status, body } = await second.answer;
  expect([status, body.error.details.reason]).toEqual([403, 'IDENTITY_TAKEN']);
});

it('a person has ten at most, in each guild', async () => {
  verifies('identities.bounded');
  const other = await seedGuild(api.database);
  await api.database.pool.query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     SELECT $1, $2, 'other', 'Player ' || n, 'player ' || n, '1' FROM generate_series(1, 10) AS n`,
    [other.id, api.guild.memberId],
  );
  for (let n = 0; n < 10; n += 1) {
    expect((await add(api.guild.memberId, 'other', `Player ${n}`)).status).toBe(201);
  }
  expect(await add(api.guild.memberId, 'other', 'Player 10')).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'IDENTITY_LIMIT' } } },
  });
});

it('a guild has 50,000 at most', async () => {
  verifies('identities.bounded');
  const other = await seedGuild(api.database);
  // Without its triggers, which would ask for 50,000 names.
  await api.database.pool.query('ALTER TABLE identities DISABLE TRIGGER USER');
  await api.database.pool.query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     SELECT $1, n::text, 'other', 'Player ' || n, 'player ' || n, '1' FROM generate_series(1, 50000) AS n`,
    [other.id],
  );
  await api.database.pool.query('ALTER TABLE identities ENABLE TRIGGER USER');
  const token = await seedToken(api.database, other, { capabilities: ['strikes.write'] });
  const path = `/guilds/${other.id}/members/${snowflake()}/identities`;
  const body = { platform: 'minecraft', in_game_id: 'Notch' };
  expect(await api.call(path, { method: 'POST', token, body })).toMatchObject({
    status: 403,
    body: { error: { details: { reason: 'GUILD_IDENTITY_LIMIT' } } },
  });
  expect((await add(snowflake(), 'minecraft', 'Notch')).status, 'in another guild').toBe(201);
});

it('what is no identity, or not the caller’s to write, changes nothing', async () => {
  verifies('identities.checked');
  const refused = await add(api.guild.memberId, 'minecraft', 'Steve; op Steve');
  expect(refused).toMatchObject({
    status: 403,
    body: {
      error: {
        message: 'It must be the name of a Minecraft player: 3 to 16 letters, digits and _.',
        details: { reason: 'IDENTITY_FORMAT', platform: 'minecraft' },
      },
    },
  });
  const token = await seedToken(api.database, api.guild, { capabilities: ['members.read'] });
  expect((await add(api.guild.memberId, 'minecraft', 'Steve', { token })).status).toBe(403);
  expect(await listed()).toEqual([]);
});

it('a strike that names a player by an id which tells its game keeps that id, and stands if it cannot', async () => {
  verifies('identities.from-strikes');
  await seedWindow(api.database, api.guild, api.token);
  const [first, second] = [snowflake(), snowflake()];
  const strike = (user_id: string, in_game_id: string, confirmed = true) => {
    const input = { user_id, in_game_id, reason: 'Griefing', severity: 'minor' };
    const _confirmation = confirmed ? sentinel('strikes.add', api.guild, input) : 'yes';
    return api.inGuild('/strikes', { method: 'POST', body: { ...input, _confirmation } });
  };
  expect((await strike(first, 'STEAM_0:0:11101', false)).status).toBe(422);
  expect(await listed()).toEqual([]);
  const given = await Promise.all([strike(first, 'STEAM_0:0:11101'), strike(second, '[U:1:22202]')]);
  expect(given.map(({ status }) => status)).toEqual([201, 201]);
  expect(given[0]?.body.strike.in_game_id).toBe('STEAM_0:0:11101');
  const { data } = (await api.inGuild('/identities')).body;
  expect(data).toMatchObject([{ in_game_id: '76561197960287930', set_by: api.guild.ownerId }]);
  const whose: string = data[0].user_id;
  expect([first, second]).toContain(whose);
  // Again it is known, and what could be of several games stays with the strike.
  expect((await strike(whose, '76561197960287930')).status).toBe(201);
  expect((await strike(whose, 'BlockBreaker')).status).toBe(201);
  expect(await listed()).toEqual(['76561197960287930']);
});
