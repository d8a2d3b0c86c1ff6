import {
  ChannelType,
  RESTJSONErrorCodes as Code,
  GatewayIntentBits,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import { Conversations } from './conversations.ts';
import { Crowd } from './crowd.ts';
import { refusal } from './errors.ts';
import type {
  Actor,
  AuditEntry,
  Channel,
  Command,
  Entitlement,
  Guild,
  Interaction,
  Member,
  Message,
  StoredFile,
  User,
} from './model.ts';
import { Nonces } from './nonces.ts';
import { channelPermissions, guildPermissions } from './permissions.ts';
import { SnowflakeSource } from './snowflake.ts';

/** One event for the gateway. A session gets it when it asked for any of `intents` (0: everyone gets it). */
export interface Dispatch {
  readonly event: string;
  readonly data: object;
  readonly guildId: string | null;
  readonly intents: number;
}

export interface ServerCommand {
  readonly server: string;
  readonly command: string;
  readonly at: string;
  readonly outputBytes: number;
}

/**
 * Everything the offline Discord knows. Lookups answer as Discord does (unknown things throw its errors); changes go
 * through `actions/`, which tell the gateway and write the audit log.
 */
export class World {
  readonly bot: User;
  /** It shares its id with the bot, unless it was made before 2016. */
  readonly applicationId: string;
  readonly ids = new SnowflakeSource();
  readonly users = new Map<string, User>();
  readonly guilds = new Map<string, Guild>();
  /** Direct-message channels by recipient. */
  readonly dms = new Map<string, Channel>();
  readonly conversations = new Conversations();
  readonly nonces = new Nonces();
  readonly commands = new Map<string, Command>();
  readonly interactions = new Map<string, Interaction>();
  /** Messages only the acting member sees; they are in no channel. */
  readonly ephemeral = new Map<string, Message>();
  readonly entitlements = new Map<string, Entitlement>();
  readonly files = new Map<string, StoredFile>();
  readonly serverCommands: ServerCommand[] = [];
  /** Ids and tokens of what `remove` has removed. */
  readonly removed = new Set<string>();
  readonly people: Record<string, string> = {};
  readonly channelNames: Record<string, string> = {};
  /** Where attachments are served from; known once the server listens. */
  url = '';
  /** The dashboard that the page links; null where none is known. */
  dashboardUrl: string | null = null;
  /** Whether the owner of the application uses two-factor authentication. */
  ownerHasTwoFactor = true;
  /** Whether the Message Content Intent is switched on in the portal. */
  hasMessageContent = true;
  /** Whether the Server Members Intent is. */
  hasServerMembers = true;
  /** The redirects in the portal, as the application tells them. Signing in takes any. */
  redirectUris: string[] = [];
  /** How long a bot has for its first answer to an interaction; three seconds at Discord. */
  firstAnswerMs = 3_000;
  changes = 0;
  readonly #dispatchListeners = new Set<(dispatch: Dispatch) => void>();
  readonly #changeListeners = new Set<() => void>();

  constructor(bot: User, applicationId: string) {
    this.bot = bot;
    this.applicationId = applicationId;
    this.users.set(bot.id, bot);
  }

  onDispatch(listener: (dispatch: Dispatch) => void): void {
    this.#dispatchListeners.add(listener);
  }

  dispatch(event: string, data: object, guildId: string | null, ...intents: GatewayIntentBits[]): void {
    const wanted = intents.reduce((bits, intent) => bits | intent, 0);
    for (const listener of this.#dispatchListeners) listener({ event, data, guildId, intents: wanted });
    this.changed();
  }

  /** Calls the listener after every change. Returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  changed(): void {
    this.changes += 1;
    for (const listener of this.#changeListeners) listener();
  }

  /**
   * Resolves with the first value of `read` that is neither undefined nor false, looked for now and after each change.
   * Rejects after `timeoutMs` with a message that names `what`.
   */
  until<Value>(
    read: () => Value | undefined | false,
    timeoutMs: number,
    what = 'the awaited state',
  ): Promise<Value> {
    // Made now, so that it says who waits.
    const late = new Error(`Waited ${timeoutMs} ms for ${what}; it did not come.`);
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        this.#changeListeners.delete(check);
        settle();
      };
      const check = () => {
        try {
          const value = read();
          if (value !== undefined && value !== false) finish(() => resolve(value));
        } catch (error) {
          finish(() => reject(error));
        }
      };
      const timer = setTimeout(() => finish(() => reject(late)), timeoutMs);
      this.#changeListeners.add(check);
      check();
    });
  }

  /** A guild the bot is in. Throws 10004 for one that is not there, 50001 for one the bot is not in. */
  guild(id: string): Guild {
    const guild = this.guilds.get(id);
    if (!guild) throw refusal(Code.UnknownGuild);
    if (!guild.members.has(this.bot.id)) throw refusal(Code.MissingAccess);
    return guild;
  }

  botMember(guild: Guild): Member {
    const member = guild.members.get(this.bot.id);
    if (!member) throw refusal(Code.MissingAccess);
    return member;
  }

  user(id: string): User {
    const user = this.findUser(id);
    if (!user) throw refusal(Code.UnknownUser);
    return user;
  }

  /** A user. Members of large guilds are users from the first time somebody asks for them. */
  findUser(id: string): User | undefined {
    const known = this.users.get(id);
    if (known !== undefined) return known;
    for (const { members } of this.guilds.values()) {
      const user = members instanceof Crowd ? members.get(id)?.user : undefined;
      if (user === undefined) continue;
      this.users.set(id, user);
      return user;
    }
    return undefined;
  }

  member(guild: Guild, userId: string): Member {
    const member = guild.members.get(userId);
    if (!member) throw refusal(this.users.has(userId) ? Code.UnknownMember : Code.UnknownUser);
    return member;
  }

  findChannel(id: string): Channel | undefined {
    for (const guild of this.guilds.values()) {
      const channel = guild.channels.get(id);
      if (channel) return channel;
    }
    for (const channel of this.dms.values()) if (channel.id === id) return channel;
    return undefined;
  }

  guildOfChannel(channel: Channel): Guild | undefined {
    return channel.guildId === null ? undefined : this.guilds.get(channel.guildId);
  }

  /** Whether the bot sees the channel, and therefore what it is. A category is seen with any of its channels. */
  botSees(channel: Channel): boolean {
    const guild = this.guildOfChannel(channel);
    if (!guild) return true;
    const member = guild.members.get(this.bot.id);
    if (member === undefined) return false;
    const isSeen = (one: Channel) =>
      (channelPermissions(guild, one, member) & PermissionFlagsBits.ViewChannel) !== 0n;
    if (isSeen(channel) || channel.type !== ChannelType.GuildCategory) return isSeen(channel);
    return [...guild.channels.values()].some(
      (other) => other.thread === null && other.parentId === channel.id && isSeen(other),
    );
  }

  /** Removes a guild with its people and their direct messages, as if none of them had ever been. */
  remove(guild: Guild): void {
    this.guilds.delete(guild.id);
    const users = [...guild.members.keys(), ...guild.bans.keys()];
    const dms = [...this.dms.values()].filter(({ recipientId }) => users.includes(recipientId ?? ''));
    const interactions = [...this.interactions.values()].filter((each) => users.includes(each.userId));
    const gone = [guild.id, ...guild.channels.keys(), ...users, ...dms.map(({ id }) => id)];
    for (const id of [...gone, ...interactions.flatMap(({ id, token }) => [id, token])]) this.removed.add(id);
    for (const userId of users) {
      this.users.delete(userId);
      this.dms.delete(userId);
    }
    for (const { id } of interactions) this.interactions.delete(id);
    for (const { id, guild_id } of this.entitlements.values()) {
      if (guild_id === guild.id) this.entitlements.delete(id);
    }
  }

  sharesGuildWithBot(userId: string): boolean {
    return [...this.guilds.values()].some(
      (guild) => guild.members.has(this.bot.id) && guild.members.has(userId),
    );
  }

  /** Writes an entry of the guild's audit log and tells the gateway, if the bot may read that log. */
  audit(guild: Guild, actor: Actor, entry: Omit<AuditEntry, 'id' | 'user_id' | 'reason'>): void {
    const written: AuditEntry = {
      id: this.ids.next(),
      user_id: actor.id,
      ...entry,
      ...(actor.reason === null ? {} : { reason: actor.reason }),
    };
    guild.auditLog.push(written);
    const bot = guild.members.get(this.bot.id);
    if (bot === undefined || (guildPermissions(guild, bot) & PermissionFlagsBits.ViewAuditLog) === 0n) {
      this.changed();
      return;
    }
    this.dispatch(
      'GUILD_AUDIT_LOG_ENTRY_CREATE',
      { ...written, guild_id: guild.id },
      guild.id,
      GatewayIntentBits.GuildModeration,
    );
  }
}
