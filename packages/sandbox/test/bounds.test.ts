// Where the sandbox must be as hard as Discord: bounds, ranks and what has lapsed.
import { Socket } from 'node:net';
import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeRole } from '#src/actions/roles.ts';
import { Session } from '#src/gateway/session.ts';
import { byRank } from '#src/permissions.ts';
import { call, control, idOf, sampleGuild, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile({ firstAnswerMs: 60_000 });
let guild = '';
let general = '';
const person = (name: string) => idOf(sandbox.get().people, name);

beforeEach(() => {
  guild = `/guilds/${sandbox.get().guildId}`;
  general = `/channels/${idOf(sandbox.get().channels, 'general')}`;
});
afterEach(() => {
  vi.useRealTimers();
});

const codeOf = async (asked: ReturnType<typeof call>) => {
  const { status, body } = await asked;
  return [status, body.code];
};

describe('a list of bans', () => {
  it('has the next ones after somebody, and the last ones before them, in the order of their ids', async () => {
    const { people } = sandbox.get();
    const named = new Set(Object.values(people));
    const ids = sampleGuild(sandbox.get())
      .members.filter(({ bot, roles, user_id }) => !bot && roles.length === 0 && !named.has(user_id))
      .map(({ user_id }) => user_id)
      .slice(0, 5)
      .toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
    for (const id of ids)
      expect((await call(sandbox.get(), 'PUT', `${guild}/bans/${id}`, {})).status).toBe(204);
    const list = async (query: string) => {
      const { body } = await call(sandbox.get(), 'GET', `${guild}/bans?${query}`);
      return (body as unknown as { user: { id: string } }[]).map(({ user }) => user.id);
    };
    expect(await list(`after=${ids[1]}&limit=2`)).toEqual([ids[2], ids[3]]);
    expect(await list(`before=${ids[4]}&limit=2`)).toEqual([ids[2], ids[3]]);
    expect(await list('limit=5')).toEqual(ids);
    for (const id of ids) await call(sandbox.get(), 'DELETE', `${guild}/bans/${id}`);
  });
});

describe("a bot's own role", () => {
  it('is given, taken and deleted by nobody, also by a bot that ranks above it', async () => {
    const { control: control_, clientId } = sandbox.get();
    const own = sampleGuild(sandbox.get()).roles.find(({ name }) => name === 'Bailiff')?.id;
    control_.roles({ action: 'create', name: 'Above', permissions: ['ManageRoles'], position: 50 });
    control_.members({ action: 'add_role', user: clientId, role: 'Above' });
    for (const [method, path] of [
      ['PUT', `${guild}/members/${person('troll')}/roles/${own}`],
      ['DELETE', `${guild}/members/${clientId}/roles/${own}`],
      ['DELETE', `${guild}/roles/${own}`],
    ] as const) {
      expect(await codeOf(call(sandbox.get(), method, path)), path).toEqual([403, Code.MissingPermissions]);
    }
    control_.roles({ action: 'delete', role: 'Above' });
  });

  it('is not among the roles that a bot sets for somebody', async () => {
    const { control: control_, clientId } = sandbox.get();
    const own = sampleGuild(sandbox.get()).roles.find(({ name }) => name === 'Bailiff')?.id;
    control_.roles({ action: 'create', name: 'Above', permissions: ['ManageRoles'], position: 50 });
    control_.members({ action: 'add_role', user: clientId, role: 'Above' });
    const set = (roles: readonly unknown[]) =>
      codeOf(call(sandbox.get(), 'PATCH', `${guild}/members/${person('troll')}`, { roles }));
    expect(await set([])).toEqual([200, undefined]);
    expect(await set([own])).toEqual([403, Code.MissingPermissions]);
    control_.roles({ action: 'delete', role: 'Above' });
  });
});

describe('a nickname', () => {
  it('is given to nobody who ranks above the bot', async () => {
    const { control: control_, clientId } = sandbox.get();
    control_.roles({ action: 'create', name: 'Namer', permissions: ['ManageNicknames'], position: 1 });
    control_.members({ action: 'add_role', user: clientId, role: 'Namer' });
    const name = (whom: string, nick: string) =>
      codeOf(call(sandbox.get(), 'PATCH', `${guild}/members/${person(whom)}`, { nick }));
    expect(await name('troll', 'Trolley')).toEqual([200, undefined]);
    expect(await name('admin', 'Trolley')).toEqual([403, Code.MissingPermissions]);
    expect(await name('troll', '')).toEqual([200, undefined]);
    const { body } = await call(sandbox.get(), 'GET', `${guild}/members/${person('troll')}`);
    expect(body.nick).toBeNull();
    control_.roles({ action: 'delete', role: 'Namer' });
  });
});

describe('a search for members', () => {
  it('looks at the beginnings of usernames and nicknames', async () => {
    const { control: control_ } = sandbox.get();
    control_.members({ action: 'nick', user: 'troll', nick: 'Zebrafish' });
    const found = async (query: string) => {
      const { body } = await call(sandbox.get(), 'GET', `${guild}/members/search?query=${query}&limit=5`);
      return (body as unknown as { user: { id: string } }[]).map(({ user }) => user.id);
    };
    expect(await found('zebra')).toEqual([person('troll')]);
    expect(await found('ebrafish')).toEqual([]);
    control_.members({ action: 'nick', user: 'troll', nick: '' });
  });
});

describe('a ban of many at once', () => {
  it('needs Manage Server beside Ban Members', async () => {
    const { control: control_, clientId } = sandbox.get();
    const userId = person('outsider');
    const ban = () => codeOf(call(sandbox.get(), 'POST', `${guild}/bulk-ban`, { user_ids: [userId] }));
    expect(await ban()).toEqual([403, Code.MissingPermissions]);
    control_.roles({ action: 'create', name: 'Manager', permissions: ['ManageGuild'], position: 1 });
    control_.members({ action: 'add_role', user: clientId, role: 'Manager' });
    expect(await ban()).toEqual([200, undefined]);
    await call(sandbox.get(), 'DELETE', `${guild}/bans/${userId}`);
    control_.roles({ action: 'delete', role: 'Manager' });
  });
});

describe('what the bot lacks itself', () => {
  it('it denies nobody, neither in a new channel nor in one that is there', async () => {
    const deny = (permission: bigint) => ({ type: 1, allow: '0', deny: String(permission) });
    const make = (permission: bigint) =>
      codeOf(
        call(sandbox.get(), 'POST', `${guild}/channels`, {
          name: 'denied',
          permission_overwrites: [{ id: person('member'), ...deny(permission) }],
        }),
      );
    const change = (permission: bigint) =>
      codeOf(call(sandbox.get(), 'PUT', `${general}/permissions/${person('member')}`, deny(permission)));
    expect(await make(Permission.ManageWebhooks)).toEqual([403, Code.MissingPermissions]);
    expect(await change(Permission.ManageWebhooks)).toEqual([403, Code.MissingPermissions]);
    expect(await make(Permission.SendMessages)).toEqual([201, undefined]);
    expect(await change(Permission.SendMessages)).toEqual([204, undefined]);
    sandbox.get().control.channels({ action: 'delete', channel: 'denied' });
    await call(sandbox.get(), 'DELETE', `${general}/permissions/${person('member')}`);
  });
});

describe('a ban', () => {
  it.each([
    ['for so many seconds', { delete_message_seconds: 3_600 }, 3_700, 3_500],
    ['for so many days, if an older bot says days', { delete_message_days: 2 }, 49 * 3_600, 47 * 3_600],
  ])(
    'deletes what its person has written %s, and nothing older',
    async (_how, ban, olderSeconds, youngerSeconds) => {
      const write = async (age_seconds: number) => {
        const { body } = await control(sandbox.get(), 'POST', '/messages', {
          ...{ user: 'troll', content: 'spam', age_seconds },
        });
        return (body.messages as { id: string }[])[0]?.id;
      };
      const [older, younger] = [await write(olderSeconds), await write(youngerSeconds)];
      expect((await call(sandbox.get(), 'PUT', `${guild}/bans/${person('troll')}`, ban)).status).toBe(204);
      const statusOf = async (id: string | undefined) =>
        (await call(sandbox.get(), 'GET', `${general}/messages/${id}`)).status;
      expect([await statusOf(older), await statusOf(younger)]).toEqual([200, 404]);
      await call(sandbox.get(), 'DELETE', `${guild}/bans/${person('troll')}`);
      sandbox.get().control.members({ action: 'join', user: 'troll' });
    },
  );

  it('of who is banned already keeps the first reason', async () => {
    const path = `${guild}/bans/${person('outsider')}`;
    for (const reason of ['first', 'second']) {
      const asked = call(sandbox.get(), 'PUT', path, {}, { 'x-audit-log-reason': reason });
      expect((await asked).status).toBe(204);
    }
    expect((await call(sandbox.get(), 'GET', path)).body.reason).toBe('first');
    await call(sandbox.get(), 'DELETE', path);
  });
});

describe('a page of the audit log', () => {
  it('begins behind the entry that it is asked for', async () => {
    for (const method of ['PUT', 'DELETE'])
      await call(
        sandbox.get(),
        method,
        `${guild}/bans/${person('outsider')}`,
        method === 'PUT' ? {} : undefined,
      );
    const page = async (query: string) => {
      const { body } = await call(sandbox.get(), 'GET', `${guild}/audit-logs?${query}`);
      return (body.audit_log_entries as { id: string }[]).map(({ id }) => id);
    };
    const [newest, next] = await page('limit=2');
    expect(await page(`limit=1&before=${newest}`)).toEqual([next]);
  });
});

describe('a role above the bot', () => {
  it('is moved by others', async () => {
    const admin = sampleGuild(sandbox.get()).roles.find(({ name }) => name === 'Admin')?.id;
    const moved = call(sandbox.get(), 'PATCH', `${guild}/roles`, [{ id: admin, position: 1 }]);
    expect(await codeOf(moved)).toEqual([403, Code.MissingPermissions]);
  });
});

describe('a channel', () => {
  it('is slowed down to six hours and no further', async () => {
    const slow = (rate_limit_per_user: number) =>
      codeOf(call(sandbox.get(), 'PATCH', general, { rate_limit_per_user }));
    expect(await slow(21_601)).toEqual([400, Code.InvalidFormBodyOrContentType]);
    expect(await slow(21_600)).toEqual([200, undefined]);
    expect(await slow(0)).toEqual([200, undefined]);
  });

  it('for announcements has no slowmode: Discord takes one and sets nothing', async () => {
    const news = sandbox.get().control.channels({ action: 'create', type: 'announcement', name: 'news' });
    const path = `/channels/${news.channel?.id}`;
    const answer = await call(sandbox.get(), 'PATCH', path, { rate_limit_per_user: 30 });
    expect([answer.status, answer.body.rate_limit_per_user]).toEqual([200, undefined]);
  });

  it('shows nobody that the bot types who may not write there, and the bot pins nothing without a right to', async () => {
    const { control: control_ } = sandbox.get();
    const without = (name: string, ...deny: string[]) =>
      (
        control_.channels({ action: 'create', name, overwrite: { of: 'bot', deny } }) as {
          channel: { id: string };
        }
      ).channel.id;
    const quiet = without('no-writing', 'SendMessages');
    const plain = without('no-pins', 'ManageMessages', 'PinMessages');
    const { messages } = control_.messages({ user: 'member', channel: plain, content: 'x' }) as {
      messages: { id: string }[];
    };
    const refused = [403, Code.MissingPermissions];
    expect(await codeOf(call(sandbox.get(), 'POST', `/channels/${quiet}/typing`))).toEqual(refused);
    const pin = call(sandbox.get(), 'PUT', `/channels/${plain}/pins/${messages[0]?.id}`);
    expect(await codeOf(pin)).toEqual(refused);
  });
});

describe('of two roles at the same position', () => {
  it('the older one ranks higher', () => {
    const [older, newer] = [makeRole('99999999999999999', 3, {}), makeRole('100000000000000000', 3, {})];
    expect([older, newer].toSorted(byRank)).toEqual([newer, older]);
    expect([newer, older].toSorted(byRank)).toEqual([newer, older]);
  });
});

describe('a thread in the archive', () => {
  it('changes in nothing until it is taken out', async () => {
    const { control: control_ } = sandbox.get();
    const thread = { action: 'create', name: 'old', type: 'public_thread', parent: 'general' } as const;
    const { channel } = control_.channels(thread) as { channel: { id: string } };
    control_.channels({ action: 'update', channel: channel.id, archived: true });
    const change = (body: object) => codeOf(call(sandbox.get(), 'PATCH', `/channels/${channel.id}`, body));
    expect(await change({ locked: true })).toEqual([400, Code.InvalidActionOnArchivedThread]);
    expect(await change({ archived: false, locked: true })).toEqual([200, undefined]);
  });
});

describe('a locked thread', () => {
  it('is written in by nobody, and taken out of the archive by who may manage threads', async () => {
    const { control: control_ } = sandbox.get();
    const bailiff = sampleGuild(sandbox.get()).roles.find(({ name }) => name === 'Bailiff');
    const held = BigInt(bailiff?.permissions ?? 0);
    const may = (permissions: bigint) =>
      control_.roles({ action: 'update', role: 'Bailiff', permissions: String(permissions) });
    const thread = { action: 'create', name: 'settled', type: 'public_thread', parent: 'general' } as const;
    const { channel } = control_.channels(thread) as { channel: { id: string } };
    control_.channels({ action: 'update', channel: channel.id, archived: true, locked: true });
    const open = () => codeOf(call(sandbox.get(), 'PATCH', `/channels/${channel.id}`, { archived: false }));
    may(held & ~Permission.ManageThreads);
    expect(await open()).toEqual([403, Code.MissingPermissions]);
    may(held);
    expect(await open()).toEqual([200, undefined]);
    const write = call(sandbox.get(), 'POST', `/channels/${channel.id}/messages`, { content: 'still here' });
    expect(await codeOf(write)).toEqual([400, Code.ThreadLocked]);
  });
});

describe('a new role', () => {
  it('has no permission that the bot has not itself', async () => {
    const make = (permissions: bigint) =>
      codeOf(call(sandbox.get(), 'POST', `${guild}/roles`, { permissions: String(permissions) }));
    expect(await make(Permission.Administrator)).toEqual([403, Code.MissingPermissions]);
    expect(await make(Permission.ViewChannel)).toEqual([200, undefined]);
    sandbox.get().control.roles({ action: 'delete', role: 'new role' });
  });
});

describe('a mention of a role', () => {
  it('reaches nobody who may not be mentioned, unless its author may mention everyone', async () => {
    const make = async (name: string, mentionable: boolean) =>
      (await call(sandbox.get(), 'POST', `${guild}/roles`, { name, mentionable })).body.id;
    const [open, quiet] = [await make('Open', true), await make('Quiet', false)];
    const content = `<@&${open}> <@&${quiet}>`;
    const { body } = await call(sandbox.get(), 'POST', `${general}/messages`, { content });
    expect(body.mention_roles).toEqual([open]);
    const { control: control_, clientId } = sandbox.get();
    control_.roles({ action: 'create', name: 'Herald', permissions: ['MentionEveryone'], position: 1 });
    control_.members({ action: 'add_role', user: clientId, role: 'Herald' });
    const heard = await call(sandbox.get(), 'POST', `${general}/messages`, { content });
    expect(heard.body.mention_roles).toEqual([open, quiet]);
    for (const role of ['Open', 'Quiet', 'Herald']) sandbox.get().control.roles({ action: 'delete', role });
  });
});

describe('a timeout', () => {
  it('is refused for who ranks above the bot without being an administrator', async () => {
    const { control: control_ } = sandbox.get();
    control_.roles({ action: 'create', name: 'Elder', permissions: ['ViewChannel'], position: 50 });
    control_.members({ action: 'add_role', user: 'troll', role: 'Elder' });
    const until = { communication_disabled_until: new Date(Date.now() + 60_000).toISOString() };
    const refused = call(sandbox.get(), 'PATCH', `${guild}/members/${person('troll')}`, until);
    expect(await codeOf(refused)).toEqual([403, Code.MissingPermissions]);
    control_.roles({ action: 'delete', role: 'Elder' });
  });

  it('is refused for an administrator, also for one below the bot', async () => {
    const { control: control_ } = sandbox.get();
    control_.roles({ action: 'create', name: 'Clerk', permissions: ['Administrator'], position: 1 });
    control_.members({ action: 'add_role', user: 'troll', role: 'Clerk' });
    const until = { communication_disabled_until: new Date(Date.now() + 60_000).toISOString() };
    const refused = call(sandbox.get(), 'PATCH', `${guild}/members/${person('troll')}`, until);
    expect(await codeOf(refused)).toEqual([403, Code.MissingPermissions]);
    control_.roles({ action: 'delete', role: 'Clerk' });
  });

  it('silences also who may write in the channel by an overwrite of their own', async () => {
    const overwrite = { of: 'member', allow: ['SendMessages'] };
    await control(sandbox.get(), 'POST', '/channels', { action: 'update', channel: 'general', overwrite });
    const write = () => control(sandbox.get(), 'POST', '/messages', { user: 'member', content: 'hey' });
    expect((await write()).status).toBe(200);
    await control(sandbox.get(), 'POST', '/members', { action: 'timeout', user: 'member', minutes: 5 });
    expect((await write()).status).toBe(403);
    await control(sandbox.get(), 'POST', '/members', { action: 'lift_timeout', user: 'member' });
  });
});

describe('a message of somebody', () => {
  it('is edited by nobody else, and of several the last one is the youngest', async () => {
    const { body } = await control(sandbox.get(), 'POST', '/messages', {
      ...{ user: 'member', content: 'line', count: 3, age_seconds: 60 },
    });
    const [first, ...others] = body.messages as { id: string; timestamp: string }[];
    const times = [first, ...others].map((message) => Date.parse(message?.timestamp ?? ''));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const edit = async (user: string) =>
      (
        await control(sandbox.get(), 'POST', '/messages', {
          ...{ action: 'edit', user, message_id: first?.id, content: 'changed' },
        })
      ).status;
    expect([await edit('troll'), await edit('member')]).toEqual([403, 200]);
  });
});

describe('a request', () => {
  it('that names a message twice, or something that is no id, deletes nothing', async () => {
    const { body } = await control(sandbox.get(), 'POST', '/messages', {
      ...{ user: 'member', content: 'line', count: 2 },
    });
    const [first = '', second = ''] = (body.messages as { id: string }[]).map(({ id }) => id);
    for (const messages of [
      [first, first],
      [first, second, 'x'],
    ]) {
      const asked = call(sandbox.get(), 'POST', `${general}/messages/bulk-delete`, { messages });
      expect(await codeOf(asked)).toEqual([400, Code.InvalidFormBodyOrContentType]);
    }
    expect((await call(sandbox.get(), 'GET', `${general}/messages/${first}`)).status).toBe(200);
  });

  it('with more than 6,000 characters in all embeds together is refused', async () => {
    const post = (length: number) => {
      const embeds = [{ description: 'x'.repeat(3_000) }, { description: 'x'.repeat(length) }];
      return codeOf(call(sandbox.get(), 'POST', `${general}/messages`, { embeds }));
    };
    expect(await post(3_000)).toEqual([200, undefined]);
    expect(await post(3_001)).toEqual([400, Code.InvalidFormBodyOrContentType]);
  });

  it('for a command that asks for a required option after one that is not is refused', async () => {
    const path = `/applications/${sandbox.get().clientId}/guilds/${sandbox.get().guildId}/commands`;
    const option = (name: string, required: boolean) => ({ type: 3, name, description: 'x', required });
    const put = (...options: object[]) =>
      call(sandbox.get(), 'PUT', path, [{ name: 'ask', description: 'Asks', options }]);
    expect((await put(option('a', true), option('b', false))).status).toBe(200);
    expect((await put(option('a', false), option('b', true))).status).toBe(400);
    expect((await call(sandbox.get(), 'PUT', path, [])).status).toBe(200);
  });
});

describe('a session', () => {
  it('keeps 10,000 events for a client that resumes, and none before them', () => {
    const sent: string[] = [];
    const socket = { send: (text: string) => void sent.push(text), terminate: () => {} };
    const session = new Session({ intents: 0, shard: [0, 1] }, socket as never, () => true);
    for (let n = 0; n < 10_001; n += 1) session.push('TYPING_START', { n });
    expect(sent).toHaveLength(10_001);
    expect([session.keepsEventsAfter(0), session.keepsEventsAfter(1)]).toEqual([false, true]);
    sent.length = 0;
    session.resume(socket as never, 9_999);
    expect(sent.map((text) => JSON.parse(text).t)).toEqual(['TYPING_START', 'TYPING_START', 'RESUMED']);
  });
});

describe('a game server', () => {
  it('performs nothing for who has not given the password', async () => {
    const [server] = sandbox.get().servers;
    const before = sandbox.get().getState().server_commands.length;
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const socket = new Socket().connect(server?.port ?? 0, '127.0.0.1');
      const packet = Buffer.alloc(18);
      packet.writeInt32LE(14, 0);
      packet.writeInt32LE(7, 4);
      packet.writeInt32LE(2, 8);
      packet.write('list', 12);
      socket.on('error', reject);
      socket.once('data', (chunk) => {
        socket.destroy();
        resolve(chunk);
      });
      socket.write(packet);
    });
    expect([answer.readInt32LE(4), answer.readInt32LE(8)]).toEqual([-1, 2]);
    expect(sandbox.get().getState().server_commands).toHaveLength(before);
  });
});

describe('an interaction', () => {
  it('gets at most 25 choices for what somebody types', async () => {
    const { clientId, guildId } = sandbox.get();
    const option = { type: 3, name: 'word', description: 'Which', autocomplete: true };
    const find = { name: 'find', description: 'Finds', options: [option] };
    await call(sandbox.get(), 'PUT', `/applications/${clientId}/guilds/${guildId}/commands`, [find]);
    const { body } = await control(sandbox.get(), 'POST', '/interactions', {
      ...{ type: 'autocomplete', user: 'member', command: 'find', options: { word: 'a' }, focused: 'word' },
      wait_ms: 0,
    });
    const suggest = (count: number) => {
      const choices = Array.from({ length: count }, (_, n) => ({ name: `Word ${n}`, value: `${n}` }));
      const path = `/interactions/${body.id}/sandbox-interaction-${body.id}/callback`;
      return codeOf(call(sandbox.get(), 'POST', path, { type: 8, data: { choices } }));
    };
    expect(await suggest(26)).toEqual([400, Code.InvalidFormBodyOrContentType]);
    expect(await suggest(25)).toEqual([204, undefined]);
  });

  it('can be answered for 15 minutes, and then no more', async () => {
    const { clientId } = sandbox.get();
    const path = `/applications/${clientId}/guilds/${sandbox.get().guildId}/commands`;
    await call(sandbox.get(), 'PUT', path, [{ name: 'wait', description: 'Waits' }]);
    const acting = control(sandbox.get(), 'POST', '/interactions', {
      ...{ type: 'command', user: 'member', command: 'wait', wait_ms: 0 },
    });
    const { id } = (await acting).body;
    const token = `sandbox-interaction-${id}`;
    const begun = await call(sandbox.get(), 'POST', `/interactions/${id}/${token}/callback`, { type: 5 });
    expect(begun.status).toBe(204);
    const edit = () =>
      codeOf(
        call(sandbox.get(), 'PATCH', `/webhooks/${clientId}/${token}/messages/@original`, {
          content: 'done',
        }),
      );
    expect(await edit()).toEqual([200, undefined]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 15 * 60_000 + 1_000 });
    expect(await edit()).toEqual([401, Code.InvalidWebhookToken]);
  });
});
