import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startSandbox } from '#src/index.ts';
import { call, control, idOf, sampleGuild, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();
let guild = '';
let general = '';
const person = (name: string) => idOf(sandbox.get().people, name);

beforeEach(() => {
  guild = `/guilds/${sandbox.get().guildId}`;
  general = `/channels/${idOf(sandbox.get().channels, 'general')}`;
});

async function write(count: number, ageSeconds = 0): Promise<string[]> {
  const answer = await control(sandbox.get(), 'POST', '/messages', {
    user: 'member',
    content: 'line',
    count,
    ...(ageSeconds > 0 ? { age_seconds: ageSeconds } : {}),
  });
  return (answer.body.messages as { id: string }[]).map((message) => message.id);
}

describe('credentials and paths', () => {
  it('answers 401 to a wrong token and 404 to an unknown route, in Discord’s words', async () => {
    const wrong = await call(sandbox.get(), 'GET', guild, undefined, { authorization: 'Bot nonsense' });
    expect([wrong.status, wrong.body]).toEqual([401, { message: '401: Unauthorized', code: 0 }]);
    const unknown = await call(sandbox.get(), 'GET', '/nothing/here');
    expect([unknown.status, unknown.body]).toEqual([404, { message: '404: Not Found', code: 0 }]);
    const method = await call(sandbox.get(), 'PUT', guild);
    expect([method.status, method.body.code]).toEqual([405, 0]);
  });

  it('speaks version 10 alone, and takes no reason for the audit log over 512 characters', async () => {
    const { apiUrl, botToken } = sandbox.get();
    const authorization = `Bot ${botToken}`;
    const other = await fetch(`${apiUrl}/v9/users/@me`, { headers: { authorization } });
    expect([other.status, await other.json()]).toMatchObject([400, { code: Code.InvalidAPIVersion }]);
    const unban = (reason: string) =>
      call(sandbox.get(), 'DELETE', `${guild}/bans/${person('member')}`, undefined, {
        'x-audit-log-reason': reason,
      });
    expect((await unban('r'.repeat(512))).body.code).toBe(Code.UnknownBan);
    expect((await unban('r'.repeat(513))).body.code).toBe(Code.InvalidFormBodyOrContentType);
  });

  it('names the field that is no snowflake and the JSON that is none, or has half a character', async () => {
    const path = await call(sandbox.get(), 'GET', `${guild}/bans/troll`);
    expect([path.status, path.body.code]).toEqual([400, Code.InvalidFormBodyOrContentType]);
    for (const body of ['{"content":', JSON.stringify({ content: '😀'.slice(0, 1) })]) {
      const response = await fetch(`${sandbox.get().apiUrl}/v10${general}/messages`, {
        method: 'POST',
        headers: { authorization: `Bot ${sandbox.get().botToken}`, 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: Code.RequestBodyContainsInvalidJSON });
    }
  });

  it('tells a guild that is not there from one the bot is not in', async () => {
    const missing = await call(sandbox.get(), 'GET', '/guilds/123456789012345678');
    expect([missing.status, missing.body.code]).toEqual([404, Code.UnknownGuild]);
    sandbox.get().control.guilds({ action: 'remove_bot', guild_id: sandbox.get().otherGuildId });
    const left = await call(sandbox.get(), 'GET', `/guilds/${sandbox.get().otherGuildId}`);
    expect([left.status, left.body.code]).toEqual([403, Code.MissingAccess]);
    sandbox.get().control.guilds({ action: 'add_bot', guild_id: sandbox.get().otherGuildId });
  });
});

describe('rank and permissions', () => {
  it('refuses to act on the owner and on who ranks above the bot (50013), and nothing happens', async () => {
    for (const name of ['owner', 'admin']) {
      for (const [method, path, body] of [
        ['PUT', `${guild}/bans/${person(name)}`, {}],
        ['DELETE', `${guild}/members/${person(name)}`, undefined],
        [
          'PATCH',
          `${guild}/members/${person(name)}`,
          { communication_disabled_until: new Date().toISOString() },
        ],
      ] as const) {
        const answer = await call(sandbox.get(), method, path, body);
        expect([answer.status, answer.body.code]).toEqual([403, Code.MissingPermissions]);
      }
    }
    expect(sampleGuild(sandbox.get()).bans).toEqual([]);
  });

  it('may ban a moderator, who ranks below it, and someone who is no member', async () => {
    for (const name of ['moderator', 'outsider']) {
      expect((await call(sandbox.get(), 'PUT', `${guild}/bans/${person(name)}`, {})).status).toBe(204);
      expect((await call(sandbox.get(), 'DELETE', `${guild}/bans/${person(name)}`)).status).toBe(204);
    }
    const again = await call(sandbox.get(), 'DELETE', `${guild}/bans/${person('outsider')}`);
    expect([again.status, again.body.code]).toEqual([404, Code.UnknownBan]);
    sandbox.get().control.members({ action: 'join', user: 'moderator' });
    sandbox.get().control.members({ action: 'set_roles', user: 'moderator', roles: ['Moderator'] });
  });

  it('loses what its role loses', async () => {
    const role = sampleGuild(sandbox.get()).roles.find((each) => each.name === 'Bailiff');
    sandbox.get().control.roles({ action: 'update', role: 'Bailiff', permissions: ['ViewChannel'] });
    const ban = await call(sandbox.get(), 'PUT', `${guild}/bans/${person('troll')}`, {});
    expect([ban.status, ban.body.code]).toEqual([403, Code.MissingPermissions]);
    sandbox.get().control.roles({ action: 'update', role: 'Bailiff', permissions: role?.permissions ?? '0' });
  });

  it('makes a channel for some only, and refuses (50013) to give what the bot lacks itself', async () => {
    const make = (allow: bigint) =>
      call(sandbox.get(), 'POST', `${guild}/channels`, {
        name: 'quiet corner',
        permission_overwrites: [
          { id: sandbox.get().guildId, type: 0, allow: '0', deny: '1024' },
          { id: person('member'), type: 1, allow: String(allow), deny: '0' },
        ],
      });
    const made = await make(Permission.ViewChannel);
    expect([made.status, made.body.name]).toEqual([201, 'quiet-corner']);
    const speak = { type: 'command', user: 'troll', command: 'x', channel: 'quiet-corner' };
    const unseen = await control(sandbox.get(), 'POST', '/interactions', speak);
    expect([unseen.status, JSON.stringify(unseen.body)]).toEqual([
      403,
      expect.stringContaining('does not see'),
    ]);
    const refused = await make(Permission.Administrator);
    expect([refused.status, refused.body.code]).toEqual([403, Code.MissingPermissions]);
  });

  it('takes no button whose address Discord does not take', async () => {
    const post = async (button: object) => {
      const components = [{ type: 1, components: [{ type: 2, style: 5, label: 'Open', ...button }] }];
      const { status, body } = await call(sandbox.get(), 'POST', `${general}/messages`, { components });
      return [status, /"code":"([A-Z_]+)"/.exec(JSON.stringify(body))?.[1]];
    };
    expect(await post({ url: 'https://bailiff.example/x' })).toEqual([200, undefined]);
    expect(await post({ url: 'http://localhost:3000/x' })).toEqual([400, 'URL_TYPE_INVALID_URL']);
    expect(await post({ url: 'ftp://bailiff.example' })).toEqual([400, 'URL_TYPE_INVALID_SCHEME']);
    expect(await post({ url: `https://bailiff.example/${'x'.repeat(512)}` })).toEqual([
      400,
      'BASE_TYPE_MAX_LENGTH',
    ]);
    expect(await post({})).toEqual([400, 'BASE_TYPE_REQUIRED']);
    const both = await post({ url: 'https://bailiff.example', custom_id: 'x' });
    expect(both).toEqual([400, 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE']);
  });

  it('refuses unknown users (10013), strangers to the guild (10007) and timeouts beyond 28 days (50035)', async () => {
    const nobody = await call(sandbox.get(), 'PUT', `${guild}/bans/123456789012345678`, {});
    expect(nobody.body.code).toBe(Code.UnknownUser);
    const stranger = await call(sandbox.get(), 'GET', `${guild}/members/${person('outsider')}`);
    expect(stranger.body.code).toBe(Code.UnknownMember);
    const until = new Date(Date.now() + 29 * 86_400_000).toISOString();
    const timeout = await call(sandbox.get(), 'PATCH', `${guild}/members/${person('member')}`, {
      communication_disabled_until: until,
    });
    expect([timeout.status, timeout.body.code]).toEqual([400, Code.InvalidFormBodyOrContentType]);
  });
});

describe('bulk deletion', () => {
  it('takes 2 to 100 messages and announces them in the audit log', async () => {
    const ids = await write(100);
    const answer = await call(sandbox.get(), 'POST', `${general}/messages/bulk-delete`, { messages: ids });
    expect(answer.status).toBe(204);
    expect(sampleGuild(sandbox.get()).audit_log.at(-1)).toMatchObject({
      action: 'MessageBulkDelete',
      options: { count: '100' },
    });
  });

  it('fails as a whole for one message that is too old, and deletes none', async () => {
    const young = await write(3);
    const old = await write(1, 14 * 86_400 + 3_600);
    const answer = await call(sandbox.get(), 'POST', `${general}/messages/bulk-delete`, {
      messages: [...young, ...old],
    });
    expect([answer.status, answer.body.code]).toEqual([
      400,
      Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete,
    ]);
    for (const id of [...young, ...old]) {
      expect((await call(sandbox.get(), 'GET', `${general}/messages/${id}`)).status).toBe(200);
    }
  });

  it.each([0, 1, 101])('refuses %i messages', async (count) => {
    const ids = count === 0 ? [] : await write(count);
    const answer = await call(sandbox.get(), 'POST', `${general}/messages/bulk-delete`, { messages: ids });
    expect([answer.status, answer.body.code]).toEqual([400, Code.InvalidFormBodyOrContentType]);
  });
});

describe('messages', () => {
  it('pages before, after and around a message, newest first', async () => {
    const ids = await write(10);
    const list = async (query: string) => {
      const { body } = await call(sandbox.get(), 'GET', `${general}/messages?${query}`);
      return (body as unknown as { id: string }[]).map((message) => message.id);
    };
    expect(await list(`before=${ids[5]}&limit=3`)).toEqual([ids[4], ids[3], ids[2]]);
    expect(await list(`after=${ids[5]}&limit=3`)).toEqual([ids[8], ids[7], ids[6]]);
    expect(await list(`around=${ids[5]}&limit=3`)).toEqual([ids[6], ids[5], ids[4]]);
    const tooLarge = await call(sandbox.get(), 'GET', `${general}/messages?before=${2n ** 63n}`);
    expect([tooLarge.status, tooLarge.body.code]).toEqual([400, Code.InvalidFormBodyOrContentType]);
  });

  it('refuses an empty one, one too long, and editing somebody else’s', async () => {
    const [other = ''] = await write(1);
    const empty = await call(sandbox.get(), 'POST', `${general}/messages`, { content: ' ' });
    expect(empty.body.code).toBe(Code.CannotSendAnEmptyMessage);
    const long = await call(sandbox.get(), 'POST', `${general}/messages`, { content: 'x'.repeat(2001) });
    expect(long.body.code).toBe(Code.InvalidFormBodyOrContentType);
    const edit = await call(sandbox.get(), 'PATCH', `${general}/messages/${other}`, { content: 'mine' });
    expect([edit.status, edit.body.code]).toEqual([403, Code.CannotEditMessageAuthoredByAnotherUser]);
  });

  it('gives the first message again for an enforced nonce, in whatever channel, and none after it was deleted', async () => {
    const post = (path: string, nonce = 'n-1') =>
      call(sandbox.get(), 'POST', `${path}/messages`, { content: 'once', nonce, enforce_nonce: true });
    const { body: first } = await post(general);
    const elsewhere = `/channels/${sandbox.get().channels.announcements}`;
    for (const path of [general, elsewhere]) expect((await post(path)).body.id).toBe(first.id);
    expect((await post(elsewhere, 'n-2')).body.id).not.toBe(first.id);
    await call(sandbox.get(), 'DELETE', `${general}/messages/${first.id}`);
    const again = await post(general);
    expect([again.status, again.body.code]).toEqual([404, Code.UnknownMessage]);
  });

  it('reaches people by direct message, except those who closed them (50007) or share no guild (50278)', async () => {
    const open = async (name: string) => {
      const { body } = await call(sandbox.get(), 'POST', '/users/@me/channels', {
        recipient_id: person(name),
      });
      return call(sandbox.get(), 'POST', `/channels/${body.id}/messages`, { content: 'You were muted.' });
    };
    expect((await open('member')).status).toBe(200);
    for (const [name, code] of [
      ['quiet', Code.CannotSendMessagesToThisUser],
      ['outsider', Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds],
    ] as const) {
      const answer = await open(name);
      expect([answer.status, answer.body.code]).toEqual([403, code]);
    }
    expect(
      sandbox
        .get()
        .getState()
        .dms.find((dm) => dm.user_id === person('member'))?.message_count,
    ).toBe(1);
  });
});

describe('rate limits', () => {
  it('empties a bucket per route, answers 429 with the wait, and refills it', async () => {
    // Time passes where the test says so.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const limited = await startSandbox({ rateLimit: { limit: 2, windowSeconds: 3 } });
    try {
      const path = `/guilds/${limited.guildId}`;
      const first = await call(limited, 'GET', path);
      expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
      await call(limited, 'GET', path);
      const refused = await call(limited, 'GET', path);
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ global: false, retry_after: expect.any(Number) });
      expect(refused.headers.get('x-ratelimit-scope')).toBe('user');
      expect((await call(limited, 'GET', `${path}/roles`)).status).toBe(200);
      expect((await call(limited, 'GET', `/guilds/${limited.otherGuildId}`)).status).toBe(200);
      vi.advanceTimersByTime(3_000);
      expect((await call(limited, 'GET', path)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe('commands and entitlements', () => {
  it('overwrites commands in bulk, keeping the ids of those that stay', async () => {
    const path = `/applications/${sandbox.get().clientId}/guilds/${sandbox.get().guildId}/commands`;
    const ban = {
      name: 'ban',
      description: 'Ban a member',
      options: [{ type: 6, name: 'user', description: 'Whom', required: true }],
    };
    const first = await call(sandbox.get(), 'PUT', path, [ban, { name: 'Report', type: 3 }]);
    const second = await call(sandbox.get(), 'PUT', path, [{ ...ban, default_member_permissions: '4' }]);
    const [before] = first.body as unknown as { id: string }[];
    const after = second.body as unknown as { id: string; default_member_permissions: string }[];
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ id: before?.id, default_member_permissions: '4' });
    const bad = await call(sandbox.get(), 'PUT', path, [{ ...ban, name: 'Ban' }]);
    expect(bad.status).toBe(400);
    expect((await call(sandbox.get(), 'GET', path)).body).toHaveLength(1);
  });

  it('holds names in other languages to the rules, and lists them where they are asked for', async () => {
    const path = `/applications/${sandbox.get().clientId}/guilds/${sandbox.get().guildId}/commands`;
    const named = (name: string, localized: object) => ({
      name,
      name_localizations: localized,
      description: 'What it does',
      description_localizations: { de: 'Was er tut' },
    });
    const put = (...commands: object[]) => call(sandbox.get(), 'PUT', path, commands);
    expect((await put(named('ban', { de: 'bannen' }), named('mute', { de: 'stumm' }))).status).toBe(200);
    for (const wrong of [
      [named('ban', { de: 'Bannen' })],
      [named('ban', { de: 'ban nen' })],
      [named('ban', { german: 'bannen' })],
      [named('ban', { de: 'gleich' }), named('mute', { de: 'gleich' })],
      // Without a translation, a command keeps its default name.
      [named('ban', { de: 'mute' }), named('mute', {})],
      [{ ...named('ban', {}), description_localizations: { de: 'x'.repeat(101) } }],
      [{ ...named('ban', {}), options: [{ type: 6, ...named('user', { fr: 'Qui' }) }] }],
      [
        {
          ...named('ban', {}),
          options: [
            { type: 6, ...named('who', {}) },
            { type: 3, ...named('who', {}) },
          ],
        },
      ],
    ]) {
      expect((await put(...wrong)).status).toBe(400);
    }
    const [plain] = (await call(sandbox.get(), 'GET', path)).body as unknown as object[];
    expect(plain).not.toHaveProperty('name_localizations');
    const asked = await call(sandbox.get(), 'GET', `${path}?with_localizations=true`);
    expect(asked.body).toMatchObject([
      { name_localizations: { de: 'bannen' }, description_localizations: { de: 'Was er tut' } },
      { name_localizations: { de: 'stumm' } },
    ]);
  });

  it('bounds how many commands there are, and how long one is in its longest language', async () => {
    const path = `/applications/${sandbox.get().clientId}/commands`;
    const put = async (commands: object[]) => (await call(sandbox.get(), 'PUT', path, commands)).status;
    const named = (count: number, fields: object) =>
      Array.from({ length: count }, (_, index) => ({ name: `c${index}`, ...fields }));
    expect(await put([...named(100, { description: 'x' }), ...named(15, { type: 2 })])).toBe(200);
    expect(await put(named(101, { description: 'x' }))).toBe(400);
    expect(await put(named(16, { type: 3 }))).toBe(400);
    const [one] = named(1, { description: 'x' });
    // Each option counts 98 and its name.
    const long = (count: number) => ({
      ...one,
      options: [1, 2, 3, 4].map((index) => ({
        type: 1,
        name: `s${index}`,
        description: 'x',
        options: named(count, {
          type: 3,
          description: 'x',
          description_localizations: { de: 'y'.repeat(98), fr: 'y' },
        }),
      })),
    });
    expect(await put([long(19)])).toBe(200);
    expect(await put([long(20)])).toBe(400);
    expect((await call(sandbox.get(), 'GET', path)).body).toHaveLength(1);
  });

  it('lists what a guild bought until it is refunded', async () => {
    const bought = sandbox.get().control.entitlements({ action: 'buy', sku_id: '900000000000000001' });
    const path = `/applications/${sandbox.get().clientId}/entitlements?guild_id=${sandbox.get().guildId}&exclude_deleted=true`;
    expect((await call(sandbox.get(), 'GET', path)).body).toHaveLength(1);
    sandbox.get().control.entitlements({ action: 'refund', entitlement_id: bought.entitlement.id });
    for (const filtered of [path, path.replace('exclude_deleted', 'only_active')]) {
      expect((await call(sandbox.get(), 'GET', filtered)).body).toHaveLength(0);
    }
  });

  it('lists what has ended only to who does not leave it out', async () => {
    const { control, clientId, guildId } = sandbox.get();
    const { entitlement } = control.entitlements({ action: 'buy', sku_id: '900000000000000002' });
    const path = `/applications/${clientId}/entitlements?guild_id=${guildId}&sku_ids=900000000000000002`;
    const listed = async (filter = '') => (await call(sandbox.get(), 'GET', `${path}${filter}`)).body;
    expect(await listed('&exclude_ended=true')).toHaveLength(1);
    control.entitlements({ action: 'end', entitlement_id: entitlement.id });
    expect(await listed('&exclude_ended=true')).toHaveLength(0);
    expect(await listed()).toHaveLength(1);
  });
});
