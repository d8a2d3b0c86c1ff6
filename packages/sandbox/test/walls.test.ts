import { BOT_PERMISSIONS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelRequest } from '#src/index.ts';
import { type Answer, call, idOf, sampleGuild, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();

afterEach(() => {
  const { control } = sandbox.get();
  control.roles({ action: 'update', role: 'Bailiff', permissions: String(BOT_PERMISSIONS) });
  control.application({ message_content: true, owner_two_factor: true });
  control.guilds({ action: 'update', two_factor: false, community: [] });
});

function without(permission: bigint): void {
  const permissions = String(BOT_PERMISSIONS & ~permission);
  sandbox.get().control.roles({ action: 'update', role: 'Bailiff', permissions });
}

function channel(request: Omit<ChannelRequest, 'action'>): string {
  const made = sandbox.get().control.channels({ action: 'create', ...request });
  return (made as { channel: { id: string } }).channel.id;
}

function codes(...answers: Answer[]): unknown[] {
  return answers.map(({ status, body }) => [status, body.code ?? null]);
}

const send = (method: string, path: string, body?: unknown) => call(sandbox.get(), method, path, body);
const write = (id: string, body: object) => send('POST', `/channels/${id}/messages`, body);
const read = (id: string) => send('GET', `/channels/${id}/messages`);
const general = () => idOf(sandbox.get().channels, 'general');
const person = (name: string) => idOf(sandbox.get().people, name);
const said = (request: object) =>
  (
    sandbox.get().control.messages({ user: 'member', content: 'x', ...request }) as {
      messages: { id: string }[];
    }
  ).messages;

describe("the bot's role", () => {
  it('has what the invitation asks for, and nothing else', () => {
    verifies('bot.invitation');
    for (const { roles } of sandbox.get().getState().guilds) {
      expect(roles.find(({ name }) => name === 'Bailiff')?.permissions).toBe(String(BOT_PERMISSIONS));
    }
  });

  it('needs Attach Files for files and Embed Links for embeds, and each can be denied in one channel', async () => {
    const embed = { embeds: [{ description: 'x' }] };
    expect((await write(general(), embed)).status).toBe(200);
    without(Permission.EmbedLinks);
    expect(codes(await write(general(), embed))).toEqual([[403, Code.MissingPermissions]]);
    without(0n);
    const quiet = channel({ name: 'quiet', overwrite: { of: 'Bailiff', deny: ['EmbedLinks'] } });
    expect(codes(await write(quiet, embed), await write(quiet, { content: 'x' }))).toEqual([
      [403, Code.MissingPermissions],
      [200, null],
    ]);
    without(Permission.AttachFiles);
    const form = new FormData();
    form.set('payload_json', '{}');
    form.set('files[0]', new Blob(['x']), 'x.txt');
    const posted = await fetch(`${sandbox.get().apiUrl}/v10/channels/${general()}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${sandbox.get().botToken}` },
      body: form,
    });
    expect([posted.status, await posted.json()]).toMatchObject([403, { code: Code.MissingPermissions }]);
  });

  it('reads no message without Read Message History, and is told nothing of it', async () => {
    const past = channel({ name: 'past', overwrite: { of: 'bot', deny: ['ReadMessageHistory'] } });
    said({ channel: past });
    const answer = await read(past);
    expect([answer.status, answer.body]).toEqual([200, []]);
  });
});

describe('two-factor authentication', () => {
  it('is needed of the owner of the application where the guild requires it (60003), but not for timeouts', async () => {
    const { control, guildId } = sandbox.get();
    control.guilds({ action: 'update', two_factor: true });
    const ban = () => send('PUT', `/guilds/${guildId}/bans/${person('outsider')}`, {});
    expect((await ban()).status).toBe(204);
    await send('DELETE', `/guilds/${guildId}/bans/${person('outsider')}`);
    control.application({ owner_two_factor: false });
    const until = new Date(Date.now() + 60_000).toISOString();
    const timeout = { communication_disabled_until: until };
    expect(
      codes(
        await ban(),
        await send('DELETE', `/guilds/${guildId}/members/${person('troll')}`),
        await send('DELETE', `/channels/${general()}/messages/${said({})[0]?.id}`),
        await send('PATCH', `/guilds/${guildId}/members/${person('troll')}`, timeout),
      ),
    ).toEqual([
      [403, Code.TwoFactorAuthenticationIsRequired],
      [403, Code.TwoFactorAuthenticationIsRequired],
      [403, Code.TwoFactorAuthenticationIsRequired],
      [200, null],
    ]);
    expect((await send('GET', `/guilds/${guildId}`)).body.mfa_level).toBe(1);
  });
});

describe('channels of other kinds', () => {
  it('are announcements and voice channels with text, for which the bot must be able to connect', async () => {
    const voice = channel({ name: 'Lounge', type: 'voice' });
    const news = channel({ name: 'news', type: 'announcement' });
    for (const id of [voice, news]) {
      expect(codes(await write(id, { content: 'x' }), await read(id))).toEqual([
        [200, null],
        [200, null],
      ]);
    }
    const { control } = sandbox.get();
    control.channels({ action: 'update', channel: voice, overwrite: { of: 'Bailiff', deny: ['Connect'] } });
    control.channels({ action: 'update', channel: voice, overwrite: { of: '@everyone', deny: ['Connect'] } });
    expect(codes(await read(voice), await write(voice, { content: 'x' }))).toEqual([
      [403, Code.MissingAccess],
      [403, Code.MissingPermissions],
    ]);
  });

  it('are forums, which hold threads and no messages', async () => {
    const forum = channel({ name: 'ideas', type: 'forum' });
    expect(codes(await write(forum, { content: 'x' }), await read(forum))).toEqual([
      [400, Code.CannotSendMessagesInNonTextChannel],
      [400, Code.CannotExecuteActionOnThisChannelType],
    ]);
    const post = channel({ name: 'an idea', type: 'public_thread', parent: forum });
    expect((await read(post)).status).toBe(200);
  });

  it('are threads: not among the channels, private ones hidden, archived ones unchangeable but for deletions', async () => {
    const { control, guildId } = sandbox.get();
    const open = channel({ name: 'open', type: 'public_thread', parent: 'general' });
    const hidden = channel({ name: 'hidden', type: 'private_thread', parent: 'general' });
    const listed = (await send('GET', `/guilds/${guildId}/channels`)).body as unknown as { id: string }[];
    expect(listed.map(({ id }) => id)).not.toContain(open);
    expect((await send('GET', `/channels/${open}`)).body).toMatchObject({ type: 11, parent_id: general() });
    expect((await read(hidden)).status).toBe(200);
    without(Permission.ManageThreads);
    expect(codes(await read(open), await read(hidden))).toEqual([
      [200, null],
      [403, Code.MissingAccess],
    ]);
    without(0n);
    const written = await send('POST', `/channels/${open}/messages`, { content: 'kept' });
    const [first, second, third] = [
      said({ channel: 'open' }),
      said({ channel: 'open' }),
      said({ channel: 'open' }),
    ];
    control.channels({ action: 'update', channel: open, archived: true, locked: true });
    const edit = () => send('PATCH', `/channels/${open}/messages/${written.body.id}`, { content: 'changed' });
    expect(codes(await edit())).toEqual([[400, Code.InvalidActionOnArchivedThread]]);
    expect((await send('DELETE', `/channels/${open}/messages/${first[0]?.id}`)).status).toBe(204);
    const messages = [second[0]?.id, third[0]?.id];
    expect((await send('POST', `/channels/${open}/messages/bulk-delete`, { messages })).status).toBe(204);
    expect((await send('PATCH', `/channels/${open}`, { archived: false })).status).toBe(200);
    expect((await edit()).status).toBe(200);
  });

  it('are those that a Community must have, which cannot be deleted', async () => {
    const { control, guildId } = sandbox.get();
    control.guilds({ action: 'update', community: ['off_topic'] });
    expect((await send('GET', `/guilds/${guildId}`)).body.features).toEqual(['COMMUNITY']);
    expect(codes(await send('DELETE', `/channels/${idOf(sandbox.get().channels, 'off_topic')}`))).toEqual([
      [400, Code.CannotDeleteChannelRequiredForCommunityGuilds],
    ]);
  });
});

describe('messages', () => {
  it('of the system cannot be deleted, and one of them fails a whole bulk deletion', async () => {
    const [renamed, usual] = [said({ type: 4 })[0], said({})[0]];
    const bulk = { messages: [renamed?.id, usual?.id] };
    expect(
      codes(
        await send('POST', `/channels/${general()}/messages/bulk-delete`, bulk),
        await send('DELETE', `/channels/${general()}/messages/${renamed?.id}`),
        await send('DELETE', `/channels/${general()}/messages/${usual?.id}`),
      ),
    ).toEqual([
      [403, Code.CannotExecuteActionOnSystemMessage],
      [403, Code.CannotExecuteActionOnSystemMessage],
      [204, null],
    ]);
  });

  it('of webhooks have the id of the webhook as their author, who is no member', () => {
    const [message] = said({ webhook: 'News feed' }) as unknown as { webhook_id: string; author: object }[];
    expect(message?.author).toMatchObject({ id: message?.webhook_id, username: 'News feed', bot: true });
    expect(sampleGuild(sandbox.get()).members.map(({ user_id }) => user_id)).not.toContain(
      message?.webhook_id,
    );
  });

  it("hide their content from REST as from the gateway without the intent, the bot's own and mentions of it apart", async () => {
    const mention = `<@${person('owner')}> and <@${sandbox.get().clientId}>`;
    said({ content: 'secret' });
    said({ content: mention });
    await write(general(), { content: 'my own' });
    sandbox.get().control.application({ message_content: false });
    const messages = (await read(general())).body as unknown as { content: string; author: object }[];
    expect(messages.slice(0, 3).map(({ content }) => content)).toEqual(['my own', mention, '']);
    const { body } = await send('GET', '/applications/@me');
    expect(Number(body.flags) & (1 << 19)).toBe(0);
  });

  it('are not written by members who have not passed the membership screening', async () => {
    const { control, guildId } = sandbox.get();
    const { member } = control.members({ action: 'join', name: 'Waiting', pending: true }) as {
      member: { pending: boolean; user: { id: string } };
    };
    const { id } = member.user;
    expect(member.pending).toBe(true);
    expect(() => said({ user: id })).toThrow('membership screening');
    control.members({ action: 'pass_screening', user: id });
    expect((await send('GET', `/guilds/${guildId}/members/${id}`)).body.pending).toBe(false);
    expect(said({ user: id })).toHaveLength(1);
  });
});
