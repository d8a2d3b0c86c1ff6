import type { APIEmbed } from 'discord-api-types/v10';

/** What `GET /page/view` answers: everything the page shows, as one person sees it. The browser's code shares the types. */
export interface View {
  readonly guild: { readonly id: string; readonly name: string };
  readonly guilds: readonly Named[];
  readonly me: Me;
  /** Whom one can be, the named people of the sample guild first. */
  readonly people: readonly Person[];
  readonly channels: readonly ChannelItem[];
  /** One's conversation with the bot, and those that the bot has with others. */
  readonly dm: { readonly lastMessageId: string | null; readonly accepts: boolean };
  readonly conversations: readonly {
    readonly userId: string;
    readonly name: string;
    readonly count: number;
  }[];
  readonly place: Place;
  readonly messages: readonly MessageItem[];
  /** Whether the channel has older messages than those here. */
  readonly hasOlder: boolean;
  readonly commands: readonly CommandItem[];
  readonly userMenus: readonly MenuItem[];
  readonly messageMenus: readonly MenuItem[];
  readonly members: readonly MemberItem[];
  readonly memberCount: number;
  readonly roles: readonly RoleItem[];
  /** Names for the ids in mentions, of people who left too. */
  readonly names: Readonly<Record<string, string>>;
  readonly panel: Panel | null;
  readonly bot: Named;
  /** Whether this sandbox knows a dashboard to link. */
  readonly hasDashboard: boolean;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Person extends Named {
  /** `moderator`, or empty for a member like any other. */
  readonly part: string;
  /** What they may do in this guild, as a sentence. */
  readonly may: string;
}

export interface Me extends Person {
  readonly isOwner: boolean;
  readonly mayManageMessages: boolean;
}

/** What is open in the middle. `cannotWrite` says why one cannot write there; null if one can. */
export interface Place {
  readonly kind: 'channel' | 'dm' | 'nothing';
  readonly id: string;
  readonly name: string;
  readonly topic: string;
  readonly cannotWrite: string | null;
}

export interface ChannelItem extends Named {
  readonly kind: 'category' | 'text' | 'announcement' | 'voice' | 'forum' | 'thread';
  readonly parentId: string | null;
  readonly lastMessageId: string | null;
}

export interface RoleItem extends Named {
  readonly color: number;
}

export interface MemberItem extends Named {
  readonly username: string;
  readonly color: number;
  readonly bot: boolean;
  /** Names of their roles, the highest first. */
  readonly roles: readonly string[];
  /** The role under which the list shows them. */
  readonly group: string;
  readonly timedOutUntil: string | null;
}

export interface MenuItem {
  /** What the bot registered, and what a client in this language shows. */
  readonly name: string;
  readonly label: string;
}

export interface CommandItem {
  readonly words: string;
  readonly label: string;
  readonly description: string;
  readonly options: readonly OptionItem[];
}

export interface OptionItem {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: number;
  readonly required: boolean;
  readonly autocomplete: boolean;
  readonly choices: readonly { readonly label: string; readonly value: string }[];
}

/** A part of a message or of a form in Discord's format. */
export interface Component {
  readonly type: number;
  readonly custom_id?: string;
  readonly label?: string;
  readonly description?: string;
  readonly content?: string;
  readonly style?: number;
  readonly url?: string;
  readonly disabled?: boolean;
  readonly placeholder?: string;
  readonly value?: string;
  readonly required?: boolean;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_values?: number;
  readonly max_values?: number;
  readonly options?: readonly SelectOption[];
  readonly components?: readonly Component[];
  readonly component?: Component;
  readonly accessory?: Component;
}

export interface SelectOption {
  readonly label: string;
  readonly value: string;
  readonly description?: string;
  readonly default?: boolean;
}

export interface Modal {
  readonly title: string;
  readonly components: readonly Component[];
}

export interface MessageItem {
  readonly id: string;
  readonly author: Named & { readonly bot: boolean; readonly color: number };
  readonly at: string;
  readonly isEdited: boolean;
  readonly isPinned: boolean;
  readonly isEphemeral: boolean;
  /** The bot has said that it is at work, and has not answered. */
  readonly isWaiting: boolean;
  readonly content: string;
  readonly embeds: readonly APIEmbed[];
  readonly files: readonly {
    readonly name: string;
    readonly path: string;
    readonly bytes: number;
    readonly isImage: boolean;
  }[];
  readonly components: readonly Component[];
  readonly reply: { readonly id: string; readonly name: string; readonly content: string } | null;
  /** Who used which command, if it answers one that all see. */
  readonly used: { readonly name: string; readonly command: string } | null;
}

export type PanelName = 'bans' | 'audit' | 'server' | 'dms';

/** A table of the guild: bans, the audit log, or what the game server received. */
export interface Panel {
  readonly name: PanelName;
  readonly rows: readonly PanelRow[];
}

export interface PanelRow {
  readonly id: string;
  readonly at: string | null;
  readonly cells: readonly string[];
}
