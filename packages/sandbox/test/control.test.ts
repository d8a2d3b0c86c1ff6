import { describe, expect, it } from 'vitest';
import { call, control, idOf, sampleGuild, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();

describe('control endpoints', () => {
  it('say what is wrong with a request and change nothing', async () => {
    const before = sandbox.get().getState().change;
    for (const [path, body, status, words] of [
      ['/members', { action: 'dance', user: 'troll' }, 400, 'must be one of join'],
      ['/members', { action: 'leave' }, 400, 'user'],
      ['/members', { action: 'leave', user: 'nobody' }, 404, 'one of: owner'],
      ['/members', { action: 'leave', user: 'outsider' }, 409, 'not a member'],
      ['/members', { action: 'leave', user: 'owner' }, 409, 'owner'],
      ['/members', { action: 'join', user: 'troll' }, 409, 'already'],
      ['/members', { action: 'leave', usr: 'troll' }, 400, 'usr'],
      ['/roles', { action: 'update', role: 'King' }, 404, 'Admin'],
      ['/roles', { action: 'create', name: 'X', permissions: ['Fly'] }, 400, 'Fly'],
      ['/bans', { user: 'troll', by: 'member' }, 403, 'may not ban'],
      ['/bans', { user: 'admin', by: 'moderator' }, 403, 'does not rank below'],
      ['/bans', { action: 'unban', user: 'troll' }, 409, 'not banned'],
      ['/messages', { user: 'member', content: 'x', channel: 'attic' }, 404, 'general'],
      ['/messages', { user: 'member', content: 'x', channel: 'announcements' }, 403, 'cannot write'],
      ['/messages', { user: 'member', content: '' }, 400, 'content'],
      ['/gateway', { action: 'explode' }, 400, 'action'],
      ['/entitlements', { action: 'buy', sku_id: 'pro' }, 400, '17 to 20 digits'],
      ['/rcon-faults', { mode: 'fire' }, 400, 'mode'],
      ['/nothing', {}, 404, 'POST /sandbox/members'],
    ] as const) {
      const answer = await control(sandbox.get(), 'POST', path, body);
      expect([answer.status, answer.body.error]).toEqual([status, expect.stringContaining(words)]);
    }
    const broken = await fetch(`${sandbox.get().url}/sandbox/bans`, { method: 'POST', body: '{' });
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { error: 'The request body contains invalid JSON.' },
    ]);
    expect((await control(sandbox.get(), 'DELETE', '/bans')).status).toBe(405);
    expect(sandbox.get().getState().change).toBe(before);
  });

  it('let people join, leave, change roles and be timed out; a timed-out member cannot write', async () => {
    const joined = await control(sandbox.get(), 'POST', '/members', { action: 'join', name: 'Ray Tull' });
    const { id } = (joined.body.member as { user: { id: string } }).user;
    for (const body of [
      { action: 'add_role', role: 'Artist' },
      { action: 'nick', nick: 'Ray' },
      { action: 'timeout', minutes: 5, by: 'helper', reason: 'too loud' },
    ]) {
      expect((await control(sandbox.get(), 'POST', '/members', { ...body, user: id })).status).toBe(200);
    }
    const member = sampleGuild(sandbox.get()).members.find((each) => each.user_id === id);
    expect(member).toMatchObject({ roles: ['Artist'], display_name: 'Ray' });
    const muted = await control(sandbox.get(), 'POST', '/messages', { user: id, content: 'hey' });
    expect([muted.status, muted.body.error]).toEqual([403, expect.stringContaining('timed out')]);
    await control(sandbox.get(), 'POST', '/members', { action: 'lift_timeout', user: id });
    expect((await control(sandbox.get(), 'POST', '/messages', { user: id, content: 'hey' })).status).toBe(
      200,
    );
    expect((await control(sandbox.get(), 'POST', '/members', { action: 'leave', user: id })).status).toBe(
      200,
    );
    const log = sampleGuild(sandbox.get()).audit_log;
    expect(log).toContainEqual(
      expect.objectContaining({
        action: 'MemberUpdate',
        reason: 'too loud',
        user_id: idOf(sandbox.get().people, 'helper'),
      }),
    );
  });

  it('hand the guild over, and change roles and channels as people do', async () => {
    const { guild } = sandbox.get().control.guilds({ action: 'update', owner: 'admin', name: 'New Harbour' });
    expect(guild).toMatchObject({ owner_id: idOf(sandbox.get().people, 'admin'), name: 'New Harbour' });
    sandbox.get().control.guilds({ action: 'update', owner: 'owner', name: 'Harbourlight' });
    const { role } = sandbox
      .get()
      .control.roles({ action: 'create', name: 'Judge', permissions: ['BanMembers'], position: 3 });
    expect(role).toMatchObject({ permissions: '4', position: 3 });
    expect(sandbox.get().control.roles({ action: 'delete', role: 'Judge' })).toEqual({ deleted: role?.id });
    const { channel } = sandbox
      .get()
      .control.channels({ action: 'create', name: 'Quiet Room', parent: 'tickets' });
    expect(channel).toMatchObject({ name: 'quiet-room' });
    sandbox.get().control.channels({ action: 'delete', channel: 'quiet-room' });
  });

  it('wait for a change when asked to', async () => {
    const { change } = (await control(sandbox.get(), 'GET', '/state?messages=1')).body;
    const waiting = control(sandbox.get(), 'GET', `/changes?after_change=${change}&wait_ms=5000`);
    sandbox.get().control.messages({ user: 'member', content: 'news' });
    expect(Number((await waiting).body.change)).toBeGreaterThan(Number(change));
  });

  it('show requests with their audit-log reasons, and a copy of the state that nobody can change', async () => {
    const reason = encodeURIComponent('tok_1 · naïve');
    const path = `/guilds/${sandbox.get().guildId}/bans/${idOf(sandbox.get().people, 'troll')}`;
    await call(sandbox.get(), 'PUT', path, {}, { 'x-audit-log-reason': reason });
    const { requests } = sandbox.get().control.requests(0);
    expect(requests.at(-1)).toMatchObject({
      method: 'PUT',
      route: '/guilds/{guild_id}/bans/{user_id}',
      reason: 'tok_1 · naïve',
      status: 204,
      authorization: 'bot',
    });
    const state = sandbox.get().getState();
    state.guilds.length = 0;
    expect(sampleGuild(sandbox.get()).bans[0]?.reason).toBe('tok_1 · naïve');
  });
});
