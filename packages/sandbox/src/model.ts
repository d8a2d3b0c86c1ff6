import type {
  APIEmbed,
  APIOverwrite,
  APIRole,
  ApplicationCommandType,
  AuditLogEvent,
  ChannelType,
  EntitlementType,
} from 'discord-api-types/v10';
import type { JsonObject } from './fields.ts';

export interface User {
  readonly id: string;
  username: string;
  globalName: string | null;
  readonly bot: boolean;
  email: string | null;
  /** Whether the user accepts direct messages from members of a shared guild. */
  acceptsDms: boolean;
}

export interface Member {
  readonly user: User;
  nick: string | null;
  roleIds: string[];
  joinedAt: string;
  timeoutUntil: string | null;
  /** Whether they have not passed the guild's membership screening yet. */
  pending: boolean;
}

export interface Ban {
  readonly user: User;
  readonly reason: string | null;
  readonly bannedBy: string;
}

export type Role = APIRole;

export interface AuditEntry {
  readonly id: string;
  readonly action_type: AuditLogEvent;
  readonly user_id: string;
  readonly target_id: string | null;
  readonly reason?: string;
  readonly changes?: readonly AuditChange[];
  readonly options?: Readonly<Record<string, string>>;
}

export interface AuditChange {
  readonly key: string;
  readonly old_value?: unknown;
  readonly new_value?: unknown;
}

/** What a thread has beyond a channel. Its `parentId` is the channel it belongs to. */
export interface Thread {
  readonly ownerId: string;
  /** Who joined it. Others do not see a private thread, unless they may manage threads. */
  readonly memberIds: Set<string>;
  archived: boolean;
  /** Only who may manage threads can take it out of the archive. */
  locked: boolean;
}

/** A channel of a guild, or, with a recipient instead of a guild, a direct-message channel with the bot. */
export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  readonly guildId: string | null;
  readonly recipientId: string | null;
  name: string;
  topic: string | null;
  parentId: string | null;
  position: number;
  nsfw: boolean;
  rateLimitPerUser: number;
  overwrites: APIOverwrite[];
  /** Null for a channel that is no thread. */
  readonly thread: Thread | null;
  readonly messages: Map<string, Message>;
  /** Message id → ISO time of pinning. */
  readonly pins: Map<string, string>;
}

/** A user in the format of Discord's OpenAPI document. */
export interface WireUser {
  id: string;
  username: string;
  avatar: string | null;
  discriminator: string;
  public_flags: number;
  flags: number;
  bot?: boolean;
  banner: string | null;
  accent_color: number | null;
  global_name: string | null;
  avatar_decoration_data: null;
  collectibles: null;
  primary_guild: null;
}

export interface Attachment {
  id: string;
  filename: string;
  size: number;
  url: string;
  proxy_url: string;
  content_type: string;
  description?: string;
  /** Of a file in an option: it belongs to no message. */
  ephemeral?: true;
}

/** What a forward shows of the message that was forwarded; of whom it was, it does not say. */
type Snapshot = Pick<
  Message,
  | 'type'
  | 'content'
  | 'mentions'
  | 'mention_roles'
  | 'attachments'
  | 'embeds'
  | 'timestamp'
  | 'edited_timestamp'
  | 'flags'
  | 'components'
  | 'sticker_items'
>;

export interface Poll {
  question: { text: string };
  answers: { answer_id: number; poll_media: { text: string } }[];
  expiry: string;
  allow_multiselect: boolean;
  layout_type: number;
  results: { answer_counts: never[]; is_finalized: boolean };
}

/** A message in Discord's format. */
export interface Message {
  readonly id: string;
  readonly channel_id: string;
  readonly author: WireUser;
  content: string;
  readonly timestamp: string;
  edited_timestamp: string | null;
  tts: boolean;
  mention_everyone: boolean;
  mentions: WireUser[];
  mention_roles: string[];
  attachments: Attachment[];
  embeds: APIEmbed[];
  pinned: boolean;
  readonly type: number;
  flags: number;
  components: JsonObject[];
  nonce?: string | number;
  webhook_id?: string;
  application_id?: string;
  interaction_metadata?: JsonObject;
  message_reference?: { type: number; channel_id: string; message_id: string; guild_id?: string };
  referenced_message?: Message | null;
  /** What a forward carries; its own text is empty. */
  message_snapshots?: { message: Snapshot }[];
  sticker_items?: { id: string; name: string; format_type: number }[];
  poll?: Poll;
}

export interface Guild {
  readonly id: string;
  name: string;
  ownerId: string;
  /** The language of its members, of Discord's locales. */
  preferredLocale: string;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  /** Until when those are timed out who left meanwhile: it holds when they come back. */
  readonly timeoutsOfGone: Map<string, string>;
  readonly channels: Map<string, Channel>;
  readonly bans: Map<string, Ban>;
  readonly auditLog: AuditEntry[];
  /** Whether moderators need two-factor authentication. For a bot, its application's owner needs it. */
  requiresTwoFactor: boolean;
  /** Whether it is a Community: then its `#rules` and the channel for updates cannot be deleted. */
  readonly communityChannelIds: Set<string>;
  /** Discord's verification level, 0 to 4. */
  verificationLevel: number;
  /** Whether the gateway has an outage for this guild. */
  unavailable: boolean;
}

export interface Command {
  readonly id: string;
  readonly application_id: string;
  version: string;
  readonly type: ApplicationCommandType;
  readonly guild_id?: string;
  name: string;
  name_localizations: Record<string, string> | null;
  description: string;
  description_localizations: Record<string, string> | null;
  default_member_permissions: string | null;
  dm_permission?: boolean;
  contexts: number[] | null;
  integration_types: number[];
  nsfw: boolean;
  options?: JsonObject[];
}

export interface Entitlement {
  readonly id: string;
  readonly sku_id: string;
  readonly application_id: string;
  readonly user_id: string;
  readonly guild_id: string | null;
  deleted: boolean;
  consumed: boolean;
  readonly type: EntitlementType;
  readonly starts_at: string | null;
  ends_at: string | null;
}

export type InteractionKind =
  | 'command'
  | 'user_menu'
  | 'message_menu'
  | 'button'
  | 'select'
  | 'modal'
  | 'autocomplete';

type ResponseKind =
  | 'message'
  | 'deferred'
  | 'update'
  | 'deferred_update'
  | 'modal'
  | 'autocomplete'
  | 'edit'
  | 'followup'
  | 'delete';

/** One response of the bot to an interaction. */
export interface InteractionResponse {
  readonly kind: ResponseKind;
  readonly at: string;
  readonly ephemeral: boolean;
  readonly message: Message | null;
  /** The body the bot sent, for modals and autocomplete. */
  readonly data: JsonObject | null;
}

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly name: string;
  readonly userId: string;
  readonly guildId: string | null;
  readonly channelId: string;
  readonly createdAtMs: number;
  /** The message whose component was used, or from which the modal was opened. */
  readonly sourceMessageId: string | null;
  state: 'pending' | 'deferred' | 'answered' | 'expired';
  originalId: string | null;
  readonly responses: InteractionResponse[];
}

/** The acting user and their reason, for audit log entries. */
export interface Actor {
  readonly id: string;
  readonly reason: string | null;
}

export interface StoredFile {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}
