import { GatewayIntentBits as Intent, PermissionFlagsBits } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '#src/index.ts';
import { connect, idOf, sampleGuild, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();

describe('the sample guild', () => {
  it('has sixty members, three ranks of moderators and a bot between the ranks', () => {
    const guild = sampleGuild(sandbox.get());
    expect(guild.members).toHaveLength(60);
    expect(guild.roles.map((role) => role.name).slice(0, 4)).toEqual([
      'Admin',
      'Bailiff',
      'Moderator',
      'Helper',
    ]);
  });

  it('has messages on both sides of the age that bulk deletion ends at, pinned ones and ones by bots', () => {
    const general = sampleGuild(sandbox.get()).channels.find((channel) => channel.name === 'general');
    const messages = general?.messages ?? [];
    const fortnightAgo = Date.now() - 14 * 86_400_000;
    const isOld = (message: { timestamp: string }) => Date.parse(message.timestamp) < fortnightAgo;
    expect(messages.filter(isOld).length).toBeGreaterThan(10);
    expect(messages.filter((message) => !isOld(message)).length).toBeGreaterThan(30);
    expect(messages.filter((message) => message.pinned).length).toBeGreaterThan(1);
    expect(messages.some((message) => message.author.bot)).toBe(true);
  });

  it('has the same ids at every start, and others with another seed', async () => {
    const [same, other] = await Promise.all([startSandbox(), startSandbox({ seed: 7 })]);
    expect(same.people).toEqual(sandbox.get().people);
    expect(same.guildId).toBe(sandbox.get().guildId);
    expect(other.guildId).not.toBe(sandbox.get().guildId);
    for (const id of Object.values({ ...same.people, ...same.channels })) expect(id).toMatch(/^\d{17,20}$/);
    await Promise.all([same.close(), other.close()]);
  });
});

describe('discord.js', () => {
  it('connects, sees both guilds, asks for members, bans with a reason and hears of it', async () => {
    const running = sandbox.get();
    const client = await connect(running, [Intent.Guilds, Intent.GuildMembers, Intent.GuildModeration]);
    try {
      expect([...client.guilds.cache.keys()].toSorted()).toEqual(
        [running.guildId, running.otherGuildId].toSorted(),
      );
      const guild = await client.guilds.fetch(running.guildId);
      expect((await guild.members.fetch()).size).toBe(60);

      const troll = idOf(running.people, 'troll');
      const banned = new Promise((resolve) => client.once('guildBanAdd', (ban) => resolve(ban.user.id)));
      const left = new Promise((resolve) => client.once('guildMemberRemove', (member) => resolve(member.id)));
      const logged = new Promise((resolve) =>
        client.once('guildAuditLogEntryCreate', (entry) => resolve(entry.reason)),
      );
      await guild.bans.create(troll, { reason: 'Spam – “coins” 100%', deleteMessageSeconds: 7200 });
      expect(await banned).toBe(troll);
      expect(await left).toBe(troll);
      expect(await logged).toBe('Spam – “coins” 100%');
      expect((await guild.bans.fetch(troll)).reason).toBe('Spam – “coins” 100%');

      const state = sampleGuild(running);
      const general = state.channels.find((channel) => channel.name === 'general');
      expect(general?.messages.filter((message) => message.author.id === troll)).toEqual([]);

      const unbanned = new Promise((resolve) => client.once('guildBanRemove', (ban) => resolve(ban.user.id)));
      await guild.bans.remove(troll, 'appeal');
      expect(await unbanned).toBe(troll);
    } finally {
      await client.destroy();
    }
  });

  it('works with members, roles, channels and messages', async () => {
    const running = sandbox.get();
    // More than Bailiff's invitation asks for.
    const asked = sampleGuild(running).roles.find(({ name }) => name === 'Bailiff')?.permissions ?? '0';
    const { ManageNicknames, ManageRoles, PinMessages } = PermissionFlagsBits;
    const permissions = String(BigInt(asked) | ManageNicknames | ManageRoles | PinMessages);
    running.control.roles({ action: 'update', role: 'Bailiff', permissions });
    const client = await connect(running, [Intent.Guilds]);
    try {
      const guild = await client.guilds.fetch({ guild: running.guildId, withCounts: true });
      const member = await guild.members.fetch(idOf(running.people, 'member2'));
      const muted = await member.timeout(60 * 60_000, 'calm down');
      expect(muted.isCommunicationDisabled()).toBe(true);
      expect((await muted.timeout(null)).isCommunicationDisabled()).toBe(false);
      await member.setNickname('Tom', 'asked for it');
      const role = await guild.roles.create({
        name: 'Guest',
        permissions: ['SendMessages'],
        reason: 'event',
      });
      await member.roles.add(role, 'guest of the event');
      await member.roles.remove(role);
      await role.edit({ name: 'Visitor' });
      await role.delete('event over');
      const channel = await guild.channels.create({
        name: 'Ticket 1',
        parent: idOf(running.channels, 'tickets'),
        reason: 'ticket',
      });
      expect(channel.name).toBe('ticket-1');
      expect(channel.permissionOverwrites.cache.size).toBeGreaterThan(1);
      await channel.permissionOverwrites.edit(member.id, { ViewChannel: true });
      await channel.setTopic('about a fence');
      const message = await channel.send({
        content: `Hello <@${member.id}> and <@${idOf(running.people, 'troll')}>`,
        allowedMentions: { users: [member.id] },
        embeds: [{ title: 'Ticket', fields: [{ name: 'State', value: 'open' }] }],
        files: [{ attachment: Buffer.from('transcript'), name: 'transcript.txt' }],
      });
      expect([...message.mentions.users.keys()]).toEqual([member.id]);
      const file = message.attachments.first();
      expect(await (await fetch(file?.url ?? '')).text()).toBe('transcript');
      await message.edit('edited');
      await message.pin();
      expect((await channel.messages.fetchPins()).items).toHaveLength(1);
      const reply = await message.reply('a reply');
      expect(reply.reference?.messageId).toBe(message.id);
      await reply.delete();
      expect((await channel.messages.fetch({ limit: 10 })).size).toBe(1);
      const log = await guild.fetchAuditLogs({ limit: 5 });
      expect(log.entries.size).toBe(5);
      await channel.delete('closed');
      expect((await guild.members.search({ query: 'mir', limit: 5 })).first()?.id).toBe(guild.ownerId);
    } finally {
      await client.destroy();
    }
  });
});
