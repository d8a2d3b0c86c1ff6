import { Events, GatewayIntentBits as Intent, type RESTGetAPIGatewayBotResult, Status } from 'discord.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { connect, idOf, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();

interface Packet {
  op: number;
  t: string | null;
  s: number | null;
  d: Record<string, unknown> | null;
}

/** A bare gateway connection: what it received, and a way to wait for a packet. */
class Wire {
  readonly packets: Packet[] = [];
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  #wake: (() => void)[] = [];

  constructor() {
    this.socket = new WebSocket(`${sandbox.get().gatewayUrl}/?v=10&encoding=json`);
    this.socket.on('message', (raw) => {
      this.packets.push(JSON.parse(raw.toString()));
      for (const wake of this.#wake.splice(0)) wake();
    });
    this.closed = new Promise((resolve) => this.socket.on('close', resolve));
  }

  async packet(isIt: (packet: Packet) => boolean): Promise<Packet> {
    for (;;) {
      const found = this.packets.find(isIt);
      if (found) return found;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  event(name: string): Promise<Packet> {
    return this.packet((packet) => packet.t === name);
  }

  async identify(intents: number, extra: object = {}): Promise<Packet> {
    await this.packet((packet) => packet.op === 10);
    const d = { token: sandbox.get().botToken, intents, properties: {}, ...extra };
    this.socket.send(JSON.stringify({ op: 2, d }));
    return this.event('READY');
  }
}

/** A connection that asks to go on with a session. */
async function resume(d: object): Promise<Wire> {
  const wire = new Wire();
  await wire.packet((packet) => packet.op === 10);
  wire.socket.send(JSON.stringify({ op: 6, d }));
  return wire;
}

describe('sessions', () => {
  it('closes with 4004 on a wrong token and 4003 on anything before identify', async () => {
    const wrong = new Wire();
    await wrong.packet((packet) => packet.op === 10);
    wrong.socket.send(JSON.stringify({ op: 2, d: { token: 'wrong', intents: 0 } }));
    expect(await wrong.closed).toBe(4004);
    const early = new Wire();
    await early.packet((packet) => packet.op === 10);
    early.socket.send(JSON.stringify({ op: 8, d: {} }));
    expect(await early.closed).toBe(4003);
  });

  it('lists all members of a guild once in 30 seconds, and says when it may be asked again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const wire = new Wire();
    await wire.identify(Intent.Guilds | Intent.GuildMembers);
    const { guildId } = sandbox.get();
    const ask = (nonce: string, more: object = { query: '' }) =>
      wire.socket.send(JSON.stringify({ op: 8, d: { guild_id: guildId, limit: 0, nonce, ...more } }));
    ask('first');
    await wire.event('GUILD_MEMBERS_CHUNK');
    ask('second');
    const { d } = await wire.event('RATE_LIMITED');
    expect(d).toMatchObject({ opcode: 8, meta: { guild_id: guildId, nonce: 'second' } });
    expect(d?.retry_after).toBe(30);
    ask('third', { user_ids: [idOf(sandbox.get().people, 'owner')] });
    await wire.packet(({ t, d: data }) => t === 'GUILD_MEMBERS_CHUNK' && data?.nonce === 'third');
  });

  it('looks for at most a hundred members by id, and names those that it does not find once', async () => {
    const wire = new Wire();
    await wire.identify(Intent.Guilds | Intent.GuildMembers);
    const { guildId, people } = sandbox.get();
    const strangers = Array.from({ length: 99 }, (_, n) => String(10n ** 17n + BigInt(n)));
    const user_ids = [...strangers, idOf(people, 'owner'), idOf(people, 'troll')];
    wire.socket.send(JSON.stringify({ op: 8, d: { guild_id: guildId, limit: 0, nonce: 'ids', user_ids } }));
    const { d } = await wire.packet(({ t, d: data }) => t === 'GUILD_MEMBERS_CHUNK' && data?.nonce === 'ids');
    expect(d?.not_found).toEqual(strangers);
    expect(d?.members).toMatchObject([{ user: { id: idOf(people, 'owner') } }]);
  });

  it('sends what is said in private to the first shard alone', async () => {
    const { control } = sandbox.get();
    const shards = [new Wire(), new Wire()];
    for (const [index, shard] of shards.entries())
      await shard.identify(Intent.Guilds | Intent.GuildMessages | Intent.DirectMessages, {
        shard: [index, 2],
      });
    control.messages({ user: 'member', channel: 'dm', content: 'in private' });
    const said = (shard: Wire) =>
      shard.packets.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d?.content);
    // What is answered after it has come after it.
    for (const shard of shards) {
      shard.socket.send(JSON.stringify({ op: 1, d: null }));
      await shard.packet(({ op }) => op === 11);
    }
    expect(shards.map(said)).toEqual([['in private'], []]);
  });

  it('mixes the events of several guilds up, and keeps those of each in order', async () => {
    const wire = new Wire();
    await wire.identify(Intent.Guilds);
    const { control, guildId, otherGuildId } = sandbox.get();
    control.gateway({ action: 'shuffle' });
    for (const [guild_id, name] of [
      [guildId, 'first'],
      [guildId, 'second'],
      [otherGuildId, 'third'],
    ] as const) {
      control.guilds({ action: 'update', name, guild_id });
    }
    control.gateway({ action: 'release' });
    await wire.packet(({ t, d }) => t === 'GUILD_UPDATE' && d?.name === 'second');
    const names = wire.packets.filter(({ t }) => t === 'GUILD_UPDATE').map(({ d }) => d?.name);
    expect(names).toEqual(['third', 'first', 'second']);
    const sequences = wire.packets.flatMap(({ s }) => s ?? []);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    control.guilds({ action: 'update', name: 'Harbourlight', guild_id: guildId });
  });

  it('sends only events that were asked for, and each guild to its shard', async () => {
    const wire = new Wire();
    await wire.identify(Intent.Guilds | Intent.GuildModeration);
    sandbox.get().control.messages({ user: 'member', content: 'not for you' });
    sandbox.get().control.bans({ user: 'troll', by: 'moderator', reason: 'enough' });
    await wire.event('GUILD_BAN_ADD');
    sandbox.get().control.bans({ action: 'unban', user: 'troll' });
    sandbox.get().control.members({ action: 'join', user: 'troll' });
    await wire.event('GUILD_BAN_REMOVE');
    const names = new Set(wire.packets.map((packet) => packet.t));
    expect(names.has('MESSAGE_CREATE')).toBe(false);
    expect(names.has('GUILD_MEMBER_REMOVE')).toBe(false);
    wire.socket.terminate();

    const count = 4;
    const seen: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const shard = new Wire();
      const ready = await shard.identify(Intent.Guilds, { shard: [index, count] });
      seen.push(...((ready.d?.guilds ?? []) as { id: string }[]).map((guild) => guild.id));
      shard.socket.terminate();
    }
    expect(seen.toSorted()).toEqual([sandbox.get().guildId, sandbox.get().otherGuildId].toSorted());
  });

  it('hides the content of messages without the intent for it', async () => {
    const wire = new Wire();
    await wire.identify(Intent.Guilds | Intent.GuildMessages);
    sandbox.get().control.messages({ user: 'member', content: 'private matters' });
    const message = await wire.event('MESSAGE_CREATE');
    expect(message.d?.content).toBe('');
    wire.socket.terminate();
  });

  it('replays what was missed on resume, and ends a session that is unknown', async () => {
    const first = new Wire();
    const ready = await first.identify(Intent.Guilds | Intent.GuildMembers);
    const last = await first.event('GUILD_CREATE');
    first.socket.terminate();
    await first.closed;
    sandbox.get().control.members({ action: 'leave', user: 'newcomer' });
    const d = { token: sandbox.get().botToken, session_id: ready.d?.session_id, seq: last.s };
    const second = await resume(d);
    await second.event('RESUMED');
    const replayed = second.packets.map((packet) => packet.t);
    expect(replayed.indexOf('GUILD_MEMBER_REMOVE')).toBeLessThan(replayed.indexOf('RESUMED'));
    sandbox.get().control.members({ action: 'join', user: 'newcomer' });
    second.socket.terminate();

    const third = await resume({ ...d, session_id: 'unknown' });
    const invalid = await third.packet((packet) => packet.op === 9);
    expect(invalid.d).toBe(false);
    third.socket.terminate();
  });

  it('resumes nothing after ten minutes, and closes with 4007 on a sequence that was never sent', async () => {
    const first = new Wire();
    const ready = await first.identify(Intent.Guilds);
    const last = await first.event('GUILD_CREATE');
    first.socket.terminate();
    const isConnected = () =>
      sandbox
        .get()
        .getState()
        .gateway.sessions.find(({ session_id }) => session_id === ready.d?.session_id)?.connected;
    await expect.poll(isConnected).toBe(false);
    const d = { token: sandbox.get().botToken, session_id: ready.d?.session_id, seq: last.s };
    expect(await (await resume({ ...d, seq: 1_000_000 })).closed).toBe(4007);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 + 1_000 });
    try {
      const late = await resume(d);
      expect(await late.packet((packet) => packet.op === 9)).toMatchObject({ d: false });
      late.socket.terminate();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('with discord.js', () => {
  it('survives dropped, resumed and invalidated sessions without missing a raw event', async () => {
    const client = await connect(sandbox.get(), [Intent.Guilds, Intent.GuildMembers]);
    const removed: string[] = [];
    client.ws.on('GUILD_MEMBER_REMOVE' as never, (data: { user: { id: string } }) =>
      removed.push(data.user.id),
    );
    try {
      for (const action of ['drop', 'resume'] as const) {
        const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
        sandbox.get().control.gateway({ action });
        sandbox.get().control.members({ action: 'leave', user: 'newcomer' });
        sandbox.get().control.members({ action: 'join', user: 'newcomer' });
        await resumed;
      }
      expect(removed).toEqual(Array(2).fill(idOf(sandbox.get().people, 'newcomer')));
      const before = sandbox.get().getState().gateway.identifies;
      const ready = new Promise((resolve) => client.once(Events.ShardReady, resolve));
      sandbox.get().control.gateway({ action: 'invalidate' });
      await ready;
      expect(sandbox.get().getState().gateway.identifies).toBe(before + 1);
      expect(client.ws.status).toBe(Status.Ready);
    } finally {
      await client.destroy();
    }
  });

  it('counts the sessions of a day, and all are left on a new one', async () => {
    const left = async () => {
      const answer = await fetch(`${sandbox.get().apiUrl}/v10/gateway/bot`, {
        headers: { authorization: `Bot ${sandbox.get().botToken}` },
      });
      const { session_start_limit: limit } = (await answer.json()) as RESTGetAPIGatewayBotResult;
      return limit.remaining;
    };
    const before = await left();
    const client = await connect(sandbox.get(), [Intent.Guilds]);
    await client.destroy();
    expect(await left()).toBe(before - 1);
    sandbox.get().control.gateway({ action: 'new_day' });
    expect(await left()).toBe(1000);
  });

  it('takes no connections while it refuses them, and the client resumes once it accepts again', async () => {
    const client = await connect(sandbox.get(), [Intent.Guilds]);
    client.on(Events.Error, () => undefined);
    try {
      const reconnecting = new Promise((resolve) => client.once(Events.ShardReconnecting, resolve));
      const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
      sandbox.get().control.gateway({ action: 'refuse' });
      sandbox.get().control.gateway({ action: 'drop' });
      await reconnecting;
      expect(
        sandbox
          .get()
          .getState()
          .gateway.sessions.some((session) => session.connected),
      ).toBe(false);
      sandbox.get().control.gateway({ action: 'accept' });
      await resumed;
    } finally {
      sandbox.get().control.gateway({ action: 'accept' });
      await client.destroy();
    }
  });

  it('tells an outage from leaving, and holds events back until released', async () => {
    const client = await connect(sandbox.get(), [Intent.Guilds, Intent.GuildModeration]);
    try {
      const deletions: unknown[] = [];
      client.ws.on('GUILD_DELETE' as never, (data: unknown) => deletions.push(data));
      const gone = new Promise((resolve) => client.once(Events.GuildUnavailable, resolve));
      sandbox.get().control.gateway({ action: 'unavailable' });
      await gone;
      expect(deletions).toEqual([{ id: sandbox.get().guildId, unavailable: true }]);
      const back = new Promise((resolve) => client.once(Events.GuildAvailable, resolve));
      sandbox.get().control.gateway({ action: 'available' });
      await back;

      let heard = 0;
      client.on(Events.GuildBanAdd, () => {
        heard += 1;
      });
      sandbox.get().control.gateway({ action: 'hold' });
      sandbox.get().control.bans({ user: 'troll' });
      await client.guilds.fetch(sandbox.get().guildId);
      expect(heard).toBe(0);
      const banned = new Promise((resolve) => client.once(Events.GuildBanAdd, resolve));
      sandbox.get().control.gateway({ action: 'release' });
      await banned;
      expect(heard).toBe(1);
    } finally {
      await client.destroy();
    }
  });
});
