import { GatewayIntentBits as Intent } from 'discord.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '#src/index.ts';
import { snowflakeTime } from '#src/snowflake.ts';
import { connect, idOf, sampleGuild } from './rig.ts';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.close());

const ask = (path: string) =>
  fetch(`${sandbox.apiUrl}/v10${path}`, { headers: { Authorization: `Bot ${sandbox.botToken}` } });

it('gives new guilds with people and channels of their own, and the bot hears that it left and joined', async () => {
  const client = await connect(sandbox, [Intent.Guilds]);
  try {
    const before = sandbox;
    const left: string[] = [];
    const joined: string[] = [];
    client.on('guildDelete', ({ id }) => left.push(id));
    const hasJoinedBoth = new Promise<void>((resolve) =>
      client.on('guildCreate', ({ id }) => {
        joined.push(id);
        if (joined.length === 2) resolve();
      }),
    );
    const after = sandbox.renew();
    await hasJoinedBoth;
    expect(left.toSorted()).toEqual([before.guildId, before.otherGuildId].toSorted());
    expect(joined.toSorted()).toEqual([after.guildId, after.otherGuildId].toSorted());
    const ids = ({ guildId, otherGuildId, people, channels }: Sandbox) => [
      guildId,
      otherGuildId,
      ...Object.values(people),
      ...Object.values(channels),
    ];
    expect(ids(before).filter((id) => ids(after).includes(id))).toEqual([]);
    expect(new Set(ids(after)).size).toBe(ids(before).length);
    expect(sampleGuild(after).members).toHaveLength(60);
  } finally {
    await client.destroy();
  }
});

it('takes names for the new people, and knows nothing of the old ones', async () => {
  const before = sandbox;
  before.control.bans({ user: 'troll', reason: 'Spam' });
  before.control.addFault({ route: '/guilds/*', status: 500, times: null });
  before.control.addRconFault({ mode: 'hang' });
  const after = sandbox.renew();
  expect(after.control.clearRconFaults()).toBe(0);
  expect(sampleGuild(after)).toMatchObject({ id: after.guildId, bans: [] });
  after.control.bans({ user: 'troll', reason: 'Spam' });
  expect(sampleGuild(after).bans).toMatchObject([{ user_id: after.people.troll }]);
  expect((await ask(`/guilds/${after.guildId}`)).status).toBe(200);
  expect((await ask(`/guilds/${before.guildId}`)).status).toBe(404);
  expect((await ask(`/users/${idOf(before.people, 'owner')}`)).status).toBe(404);
});

it('lists requests from then on, without those about what is no more', async () => {
  const before = sandbox;
  await ask(`/guilds/${before.guildId}`);
  const after = sandbox.renew();
  await ask(`/users/${idOf(before.people, 'owner')}`);
  await ask(`/channels/${before.channels.general}`);
  await ask(`/guilds/${after.guildId}`);
  expect(after.requests.map(({ path }) => path)).toEqual([`/guilds/${after.guildId}`]);
});

it('does not count conversations that the bot opened before', async () => {
  await sandbox.close();
  sandbox = await startSandbox({ rateLimit: { limit: 1_000, windowSeconds: 1 } });
  const open = async (recipient_id: string) => {
    const answer = await fetch(`${sandbox.apiUrl}/v10/users/@me/channels`, {
      method: 'POST',
      headers: { Authorization: `Bot ${sandbox.botToken}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ recipient_id }),
    });
    return answer.ok;
  };
  const crowdOf = (now: Sandbox) => sampleGuild(now).members.filter(({ bot }) => !bot);
  const opened = await Promise.all(crowdOf(sandbox).map(({ user_id }) => open(user_id)));
  expect(opened.includes(false)).toBe(true);
  sandbox = sandbox.renew();
  expect(await open(idOf(sandbox.people, 'owner'))).toBe(true);
});

it('never gives an id of the future', () => {
  for (let times = 0; times < 100; times += 1) sandbox = sandbox.renew();
  for (const id of [sandbox.otherGuildId, ...Object.values({ ...sandbox.people, ...sandbox.channels })]) {
    expect(snowflakeTime(id)).toBeLessThan(Date.now());
  }
});
