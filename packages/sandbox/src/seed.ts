import { BOT_PERMISSIONS } from '@bailiff/core';
import { ChannelType, OverwriteType, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { makeChannel } from './actions/channels.ts';
import { announceGuild } from './actions/guilds.ts';
import { leaveGuild } from './actions/members.ts';
import { makeMessage } from './actions/messages.ts';
import { makeRole, type RoleChange } from './actions/roles.ts';
import type { Channel, Guild, Member, User } from './model.ts';
import { snowflakeAt, wireTime } from './snowflake.ts';
import { World } from './world.ts';

/**
 * The sample guild and a second one. Ids of people, roles, channels and guilds depend on the seed alone, so that data kept
 * about them stays true from one start to the next; message ids tell the message's age, so they depend on the clock.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FIRST_ID_MS = Date.UTC(2021, 2, 1);

const PEOPLE = [
  ['owner', 'mira.voss', 'Mira Voss', 1100],
  ['admin', 'aldo.ferrant', 'Aldo Ferrant', 1000],
  ['moderator', 'juno.okafor', 'Juno Okafor', 820],
  ['helper', 'piet.lindqvist', 'Piet Lindqvist', 430],
  ['member', 'sana.iqbal', 'Sana Iqbal', 390],
  ['member2', 'tomas.rey', 'Tomás Rey', 310],
  ['troll', 'xx_grief_xx', 'GriefLord', 40],
  ['newcomer', 'lena.hoff', 'Lena Hoff', 0.1],
  ['quiet', 'otto.brandt', 'Otto Brandt', 260],
] as const;

const CROWD =
  `Ada Byrne,Amir Haddad,Anika Sørensen,Arlo Finch,Bea Castellan,Bjorn Aasen,Carmen Ruiz,Chidi Eze,Dana Kowalski,Dev Patel,
Elif Demir,Emre Kaya,Esme Laurent,Farid Nazari,Freya Holt,Gil Navon,Greta Maier,Hana Sato,Hugo Lefevre,Imani Jones,Ines Duarte,
Ivo Petrov,Jae Park,Kaya Brook,Kofi Mensah,Lars Dahl,Leila Amari,Luca Conti,Maeve Quinn,Marek Novak,Mei Lin,Nadia Osman,
Nico Vidal,Nora Beck,Omar Said,Priya Nair,Quentin Ross,Rafa Lima,Rhea Stone,Ruben Haas,Saoirse Kelly,Selim Arslan,Tara Singh,
Theo Marsh,Uma Rao,Viktor Lind,Wren Hale,Yara Costa,Zoe Palmer`
    .split(',')
    .map((name) => name.trim());

const CHATTER = [
  'Anyone up for a base tour tonight?',
  'The north bridge is finished, come and look.',
  'Who moved my sheep?',
  'Thanks for the help yesterday!',
  'The server feels a lot smoother since the restart.',
  'I found a village two thousand blocks east of spawn.',
  'Is the event on Saturday still happening?',
  'Please do not build on the railway, it is marked on the map.',
  'Trading 32 iron for a map of the nether hub.',
  'gg, that was a good round',
  'How do I get the Regular role?',
  'Screenshots of the new market are in the album.',
];

export interface Credentials {
  readonly clientId: string | undefined;
  readonly botUserId?: string | undefined;
  readonly seed: number;
}

const WRITE = Permission.ViewChannel | Permission.SendMessages | Permission.ReadMessageHistory;
const EVERYONE =
  WRITE |
  Permission.AddReactions |
  Permission.Connect |
  Permission.Speak |
  Permission.UseApplicationCommands |
  Permission.ChangeNickname |
  Permission.CreateInstantInvite |
  Permission.CreatePublicThreads |
  Permission.CreatePrivateThreads |
  Permission.SendMessagesInThreads;
const HELPER = Permission.ModerateMembers | Permission.ViewAuditLog;
const MODERATOR =
  HELPER |
  Permission.KickMembers |
  Permission.BanMembers |
  Permission.ManageMessages |
  Permission.PinMessages |
  Permission.ManageNicknames |
  Permission.MentionEveryone;

interface MainPeople {
  /** By their part, with the days since they joined. */
  readonly named: ReadonlyMap<string, { readonly user: User; readonly days: number }>;
  readonly musicBox: User;
  readonly crowd: readonly User[];
}

interface Writers extends Pick<MainPeople, 'musicBox' | 'crowd'> {
  readonly owner: User;
  readonly troll: User;
  readonly writers: readonly User[];
}

export interface SeededWorld {
  readonly world: World;
  /**
   * Replaces the sample guilds and their people by new ones. The bot leaves the old guilds, which are no more, and is
   * invited to the new ones. From then on the names in `people` and `channels` mean those of the new guilds.
   */
  renew(): void;
}

export function seedWorld({ clientId, botUserId, seed }: Credentials): SeededWorld {
  let made = 0;
  /** So many ids are spread over years. Later ones follow closely, so that none lies in the future. */
  let spread = Number.POSITIVE_INFINITY;
  const nextId = () => {
    made += 1;
    const wide = Math.min(made, spread);
    return snowflakeAt(FIRST_ID_MS + wide * 17 * HOUR + (made - wide) * MINUTE + made * 7919, seed);
  };
  const person = (username: string, globalName: string | null, bot = false): User => ({
    id: nextId(),
    username,
    globalName,
    bot,
    email: bot ? null : `${username}@people.example`,
    acceptsDms: true,
  });

  const seeded = person('bailiff', null, true);
  const bot = botUserId === undefined ? seeded : { ...seeded, id: botUserId };
  const world = new World(bot, clientId ?? bot.id);
  const add = (user: User): User => {
    world.users.set(user.id, user);
    return user;
  };
  seedGuilds();
  spread = made;
  return { world, renew };

  function renew(): void {
    for (const guild of [...world.guilds.values()]) {
      leaveGuild(world, guild, world.bot);
      world.remove(guild);
    }
    seedGuilds();
    for (const guild of world.guilds.values()) announceGuild(world, guild);
  }

  function seedGuilds(): void {
    const named = new Map<string, { user: User; days: number }>();
    for (const [key, username, name, days] of PEOPLE) {
      const user = add(person(username, name));
      named.set(key, { user, days });
      world.people[key] = user.id;
    }
    const quiet = named.get('quiet');
    if (quiet) quiet.user.acceptsDms = false;
    const musicBox = add(person('music-box', null, true));
    const otherOwner = add(person('noor.rahimi', 'Noor Rahimi'));
    const outsider = add(person('stray.cat', 'Stray Cat'));
    world.people.other_owner = otherOwner.id;
    world.people.outsider = outsider.id;
    const crowd = CROWD.map((name) => add(person(name.toLowerCase().replace(/[^a-z]+/g, '.'), name)));
    seedMain({ named, musicBox, crowd });
    seedOther(otherOwner, crowd);
  }

  function guildOf(name: string, ownerId: string, preferredLocale = 'en-US'): Guild {
    const guild: Guild = {
      id: nextId(),
      name,
      ownerId,
      preferredLocale,
      roles: new Map(),
      members: new Map(),
      channels: new Map(),
      bans: new Map(),
      timeoutsOfGone: new Map(),
      auditLog: [],
      requiresTwoFactor: false,
      communityChannelIds: new Set(),
      verificationLevel: 1,
      unavailable: false,
    };
    guild.roles.set(guild.id, makeRole(guild.id, 0, { name: '@everyone', permissions: EVERYONE.toString() }));
    world.guilds.set(guild.id, guild);
    return guild;
  }

  function addRole(guild: Guild, name: string, permissions: bigint, change: RoleChange = {}): string {
    const id = nextId();
    const role = makeRole(id, guild.roles.size, { name, permissions: permissions.toString(), ...change });
    guild.roles.set(id, role);
    return id;
  }

  /** The role that Discord makes for a bot: it has what the invitation asked for, and nothing else. */
  function addBotRole(guild: Guild): string {
    const id = addRole(guild, 'Bailiff', BOT_PERMISSIONS);
    const role = guild.roles.get(id);
    if (role) Object.assign(role, { managed: true, tags: { bot_id: world.bot.id } });
    return id;
  }

  function addMember(guild: Guild, user: User, roleIds: string[], days: number): Member {
    const joinedAt = wireTime(Date.now() - days * DAY);
    const member: Member = { user, nick: null, roleIds, joinedAt, timeoutUntil: null, pending: false };
    guild.members.set(user.id, member);
    return member;
  }

  function addChannel(
    guild: Guild,
    key: string,
    name: string,
    options: Parameters<typeof makeChannel>[3] & { type?: ChannelType } = {},
  ): Channel {
    const { type = ChannelType.GuildText, ...change } = options;
    const channel = makeChannel(nextId(), { guildId: guild.id }, type, {
      name,
      position: guild.channels.size,
      ...change,
    });
    guild.channels.set(channel.id, channel);
    world.channelNames[key] = channel.id;
    return channel;
  }

  function say(channel: Channel, author: User, content: string, ageMs: number, embeds: object[] = []) {
    const message = makeMessage(world, channel, { author, atMs: Date.now() - ageMs }, { content, embeds });
    channel.messages.set(message.id, message);
    return message;
  }

  function pin(channel: Channel, message: ReturnType<typeof say>): void {
    message.pinned = true;
    channel.pins.set(message.id, message.timestamp);
  }

  function seedMain({ named, musicBox, crowd }: MainPeople): void {
    const of = (key: string) => {
      const found = named.get(key);
      if (!found) throw new Error(`The sample guild has nobody called ${key}.`);
      return found;
    };
    const guild = guildOf('Harbourlight', of('owner').user.id);
    const artist = addRole(guild, 'Artist', 0n, { color: 0x3ba55d });
    const regular = addRole(guild, 'Regular', 0n, { color: 0x5dadec });
    const helper = addRole(guild, 'Helper', HELPER, { color: 0x2dc7c4, hoist: true });
    const moderator = addRole(guild, 'Moderator', MODERATOR, { color: 0xe0a030, hoist: true });
    const botRole = addBotRole(guild);
    const admin = addRole(guild, 'Admin', Permission.Administrator, { color: 0xd0484a, hoist: true });

    const roles: Record<string, string[]> = {
      admin: [admin],
      moderator: [moderator, regular],
      helper: [helper, regular],
      member: [regular],
      member2: [artist],
    };
    for (const [key, { user, days }] of named) addMember(guild, user, roles[key] ?? [], days);
    addMember(guild, world.bot, [botRole], 200);
    addMember(guild, musicBox, [], 500);
    crowd.forEach((user, index) => {
      const roleIds = index % 4 === 0 ? [regular] : index % 7 === 0 ? [artist] : [];
      addMember(guild, user, roleIds, 12 + index * 9);
    });

    const hide = { id: guild.id, type: OverwriteType.Role, allow: '0', deny: `${Permission.ViewChannel}` };
    const readOnly = {
      id: guild.id,
      type: OverwriteType.Role,
      allow: '0',
      deny: `${Permission.SendMessages}`,
    };
    const show = (id: string) => ({ id, type: OverwriteType.Role, allow: `${WRITE}`, deny: '0' });
    const staff = [hide, show(helper), show(moderator), show(botRole)];
    addChannel(guild, 'announcements', 'announcements', {
      topic: 'News from the team',
      overwrites: [readOnly, show(moderator), show(botRole)],
    });
    const general = addChannel(guild, 'general', 'general', { topic: 'Talk about anything' });
    const offTopic = addChannel(guild, 'off_topic', 'off-topic');
    addChannel(guild, 'reports', 'reports', { topic: 'Tell the team what happened' });
    addChannel(guild, 'tickets', 'Tickets', { type: ChannelType.GuildCategory, overwrites: staff });
    addChannel(guild, 'mod_log', 'mod-log', { topic: 'What moderators did', overwrites: staff });

    const writers = [...named.values()].slice(1, 6).map(({ user }) => user);
    const owner = of('owner').user;
    fillMain(guild, { general, offTopic }, { owner, troll: of('troll').user, writers, musicBox, crowd });
  }

  function fillMain(
    guild: Guild,
    { general, offTopic }: { general: Channel; offTopic: Channel },
    { owner, troll, writers, musicBox, crowd }: Writers,
  ): void {
    const announcements = guild.channels.get(world.channelNames.announcements ?? '');
    const reports = guild.channels.get(world.channelNames.reports ?? '');
    if (!announcements || !reports) return;
    const writer = (index: number): User => writers[index % writers.length] ?? owner;
    const chatter = (index: number) => CHATTER[index % CHATTER.length] ?? '';

    pin(
      announcements,
      say(announcements, owner, 'Welcome to Harbourlight. Be kind; the rules are pinned.', 300 * DAY),
    );
    say(announcements, owner, 'The spring event starts on Saturday at 18:00 UTC.', 3 * DAY);
    pin(general, say(general, owner, 'Rules: be kind, no griefing, no advertising.', 200 * DAY));
    for (let index = 0; index < 24; index += 1) {
      say(general, writer(index), chatter(index), (60 - index * 1.6) * DAY);
    }
    for (let index = 0; index < 30; index += 1) {
      const ageMs = (13 * DAY * (30 - index)) / 31 + index * MINUTE;
      const author = index % 9 === 4 ? musicBox : (crowd[index * 3] ?? writer(index));
      say(general, author, author.bot ? 'Now playing: Harbour Lights' : chatter(index + 5), ageMs);
    }
    pin(general, say(general, writer(1), 'Map of the new district: ask Aldo for the file.', 6 * HOUR));
    for (let index = 0; index < 8; index += 1) {
      say(general, troll, `FREE COINS at coins-${index}.example !!!`, 90 * MINUTE - index * MINUTE);
    }
    say(general, writer(2), 'Can a moderator look at this spam please?', 70 * MINUTE);
    for (let index = 0; index < 12; index += 1) {
      say(offTopic, crowd[index * 2] ?? writer(index), chatter(index + 3), (20 - index * 1.7) * DAY);
    }
    say(reports, writer(3), 'GriefLord broke my fence at the harbour. I have screenshots.', 26 * HOUR);
    say(reports, musicBox, '', 25 * HOUR, [{ title: 'Queue', description: 'Nothing is queued.' }]);
  }

  function seedOther(otherOwner: User, crowd: readonly User[]): void {
    const guild = guildOf('Gravel Pit', otherOwner.id, 'de');
    const botRole = addBotRole(guild);
    addMember(guild, otherOwner, [], 700);
    addMember(guild, world.bot, [botRole], 90);
    for (const user of crowd.slice(0, 5)) addMember(guild, user, [], 60);
    const general = addChannel(guild, 'other_general', 'general');
    say(general, otherOwner, 'Quarry opens at noon.', 5 * DAY);
  }
}
