import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { call, control, idOf, restOf, sampleGuild, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();
const banPath = (name: string) => `/guilds/${sandbox.get().guildId}/bans/${idOf(sandbox.get().people, name)}`;
const isBanned = (name: string) =>
  sampleGuild(sandbox.get()).bans.some((ban) => ban.user_id === idOf(sandbox.get().people, name));

afterEach(async () => {
  await control(sandbox.get(), 'DELETE', '/faults');
});

describe('faults', () => {
  it('answers a route with a status as often as asked, and nothing happens', async () => {
    const fault = {
      method: 'PUT',
      route: '/guilds/*/bans/*',
      status: 502,
      body: { message: 'bad gateway', code: 0 },
      times: 2,
    };
    expect((await control(sandbox.get(), 'POST', '/faults', fault)).status).toBe(200);
    for (let index = 0; index < 2; index += 1) {
      expect((await call(sandbox.get(), 'PUT', banPath('troll'), {})).status).toBe(502);
      expect(isBanned('troll')).toBe(false);
    }
    expect((await call(sandbox.get(), 'GET', banPath('troll'))).status).toBe(404);
    expect((await call(sandbox.get(), 'PUT', banPath('troll'), {})).status).toBe(204);
    expect(isBanned('troll')).toBe(true);
  });

  it('hits only requests that contain a text, if it names one', async () => {
    const route = `/channels/${sampleGuild(sandbox.get()).channels.find(({ name }) => name === 'general')?.id}/messages`;
    sandbox.get().control.addFault({ method: 'POST', route, contains: 'scam.test', status: 400 });
    const written = async (content: string) => (await call(sandbox.get(), 'POST', route, { content })).status;
    expect([await written('fine.test'), await written('See scam.test')]).toEqual([200, 400]);
  });

  it('performs and loses the answer with `after`', async () => {
    sandbox
      .get()
      .control.addFault({ route: '/guilds/{guild_id}/bans/{user_id}', when: 'after', socket: 'reset' });
    await expect(call(sandbox.get(), 'PUT', banPath('newcomer'), {})).rejects.toThrow();
    expect(isBanned('newcomer')).toBe(true);
    expect(sandbox.get().requests.at(-1)).toMatchObject({ method: 'PUT', status: null });
  });

  it('keeps a request waiting for ever, until the faults are cleared', async () => {
    const fault = sandbox.get().control.addFault({ route: '/guilds/**', socket: 'hang', times: null });
    const waiting = call(sandbox.get(), 'PUT', banPath('member'), {});
    await sandbox.get().until(() => sandbox.get().requests.at(-1)?.fault === fault.id);
    expect(sandbox.get().control.clearFaults()).toBe(1);
    await expect(waiting).rejects.toThrow();
    expect(isBanned('member')).toBe(false);
  });

  it('holds a request until the faults are cleared, and then performs it', async () => {
    const fault = sandbox.get().control.addFault({ method: 'PUT', route: '/guilds/**', held: true });
    const waiting = call(sandbox.get(), 'PUT', banPath('quiet'), {});
    await sandbox.get().until(() => sandbox.get().requests.at(-1)?.fault === fault.id);
    expect(isBanned('quiet')).toBe(false);
    sandbox.get().control.clearFaults();
    expect((await waiting).status).toBe(204);
    expect(isBanned('quiet')).toBe(true);
  });

  it('rate limits as Discord does, so that the client waits or gives up', async () => {
    sandbox.get().control.addFault({ route: '/users/@me', rate_limit: { retry_after: 65, global: true } });
    const error = await restOf(sandbox.get())
      .get('/users/@me')
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: expect.stringContaining('RateLimitError'), global: true });
    expect((error as { retryAfter: number }).retryAfter).toBeGreaterThanOrEqual(65_000);
    expect(sandbox.get().getState().requests.invalid).toBeGreaterThan(0);
  });

  it('delays, and performs even when the caller gave up waiting', async () => {
    // Time passes where the test says so.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const delayed = { method: 'PUT', route: '/guilds/*/bans/*', delay_ms: 150 };
    const fault = sandbox.get().control.addFault(delayed);
    const caller = new AbortController();
    const impatient = fetch(`${sandbox.get().apiUrl}/v10${banPath('member2')}`, {
      method: 'PUT',
      headers: { authorization: `Bot ${sandbox.get().botToken}` },
      signal: caller.signal,
    });
    await expect.poll(() => sandbox.get().requests.at(-1)?.fault).toBe(fault.id);
    caller.abort();
    await expect(impatient).rejects.toThrow();
    expect(isBanned('member2')).toBe(false);
    vi.advanceTimersByTime(150);
    await expect.poll(() => isBanned('member2')).toBe(true);
  });

  it('refuses a fault that is not understood, in words that help', async () => {
    for (const [fault, words] of [
      [{ route: '/users/@me' }, 'at least one of'],
      [{ route: 'users', status: 500 }, 'slash'],
      [{ route: '/users/@me', status: 99 }, 'status'],
      [{ route: '/users/@me', stauts: 500 }, 'stauts'],
      [[], 'JSON object'],
    ] as const) {
      const { status, body } = await control(sandbox.get(), 'POST', '/faults', fault);
      expect([status, body.error]).toEqual([400, expect.stringContaining(words)]);
    }
  });
});
