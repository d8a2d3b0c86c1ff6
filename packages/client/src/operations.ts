// Written by packages/client/generate.ts from the operation table of @bailiff/core. Do not edit: run
// "node packages/client/generate.ts" instead. A test compares the two.

/** Method and path of each operation; paths are below `/api/public/v1`. */
export const ROUTES = {
  'me': { method: 'GET', path: '/me' },
  'strikes.list': { method: 'GET', path: '/guilds/{guildId}/strikes' },
  'strikes.get': { method: 'GET', path: '/guilds/{guildId}/strikes/{strikeId}' },
  'strikes.add': { method: 'POST', path: '/guilds/{guildId}/strikes' },
  'strikes.change': { method: 'PATCH', path: '/guilds/{guildId}/strikes/{strikeId}' },
  'strikes.remove': { method: 'DELETE', path: '/guilds/{guildId}/strikes/{strikeId}' },
  'warnings.add': { method: 'POST', path: '/guilds/{guildId}/warnings' },
  'warnings.remove': { method: 'DELETE', path: '/guilds/{guildId}/warnings/{warningId}' },
  'bans.list': { method: 'GET', path: '/guilds/{guildId}/bans' },
  'bans.get': { method: 'GET', path: '/guilds/{guildId}/bans/{userId}' },
  'bans.add': { method: 'POST', path: '/guilds/{guildId}/bans' },
  'bans.soft': { method: 'POST', path: '/guilds/{guildId}/softbans' },
  'bans.change': { method: 'PATCH', path: '/guilds/{guildId}/bans/{userId}' },
  'bans.lift': { method: 'DELETE', path: '/guilds/{guildId}/bans/{userId}' },
  'mutes.list': { method: 'GET', path: '/guilds/{guildId}/mutes' },
  'mutes.add': { method: 'POST', path: '/guilds/{guildId}/mutes' },
  'mutes.change': { method: 'PATCH', path: '/guilds/{guildId}/mutes/{userId}' },
  'mutes.lift': { method: 'DELETE', path: '/guilds/{guildId}/mutes/{userId}' },
  'bans.preview': { method: 'POST', path: '/guilds/{guildId}/mass-bans/previews' },
  'bans.many': { method: 'POST', path: '/guilds/{guildId}/mass-bans' },
  'bans.undo': { method: 'DELETE', path: '/guilds/{guildId}/mass-bans/{massId}' },
  'mutes.preview': { method: 'POST', path: '/guilds/{guildId}/mass-mutes/previews' },
  'mutes.many': { method: 'POST', path: '/guilds/{guildId}/mass-mutes' },
  'mutes.undo': { method: 'DELETE', path: '/guilds/{guildId}/mass-mutes/{massId}' },
  'actions.people': { method: 'GET', path: '/guilds/{guildId}/actions/{actionId}/people' },
  'tickets.list': { method: 'GET', path: '/guilds/{guildId}/tickets' },
  'tickets.get': { method: 'GET', path: '/guilds/{guildId}/tickets/{ticketId}' },
  'tickets.claim': { method: 'POST', path: '/guilds/{guildId}/tickets/{ticketId}/claim' },
  'tickets.assign': { method: 'POST', path: '/guilds/{guildId}/tickets/{ticketId}/assign' },
  'tickets.unclaim': { method: 'POST', path: '/guilds/{guildId}/tickets/{ticketId}/unclaim' },
  'tickets.notes': { method: 'GET', path: '/guilds/{guildId}/tickets/{ticketId}/notes' },
  'tickets.note': { method: 'POST', path: '/guilds/{guildId}/tickets/{ticketId}/notes' },
  'tickets.unnote': { method: 'DELETE', path: '/guilds/{guildId}/tickets/{ticketId}/notes/{note_id}' },
  'tickets.stats': { method: 'GET', path: '/guilds/{guildId}/ticket-statistics' },
  'appeals.list': { method: 'GET', path: '/guilds/{guildId}/appeals' },
  'appeals.get': { method: 'GET', path: '/guilds/{guildId}/appeals/{appealId}' },
  'appeals.vote': { method: 'POST', path: '/guilds/{guildId}/appeals/{appealId}/vote' },
  'appeals.refuse': { method: 'POST', path: '/guilds/{guildId}/appeals/{appealId}/refuse' },
  'reports.list': { method: 'GET', path: '/guilds/{guildId}/reports' },
  'reports.get': { method: 'GET', path: '/guilds/{guildId}/reports/{reportId}' },
  'reports.claim': { method: 'POST', path: '/guilds/{guildId}/reports/{reportId}/claim' },
  'reports.close': { method: 'POST', path: '/guilds/{guildId}/reports/{reportId}/close' },
  'messages.purge': { method: 'POST', path: '/guilds/{guildId}/mass-purge' },
  'messages.archive': { method: 'GET', path: '/guilds/{guildId}/archives/{archiveId}' },
  'channels.slowmode': { method: 'POST', path: '/guilds/{guildId}/slowmodes' },
  'channels.lock': { method: 'POST', path: '/guilds/{guildId}/locks' },
  'channels.unlock': { method: 'DELETE', path: '/guilds/{guildId}/locks/{channelId}' },
  'channels.lockdown': { method: 'POST', path: '/guilds/{guildId}/lockdown' },
  'channels.reopen': { method: 'DELETE', path: '/guilds/{guildId}/lockdown' },
  'channels.locks': { method: 'GET', path: '/guilds/{guildId}/locks' },
  'channels.slowmodes': { method: 'GET', path: '/guilds/{guildId}/slowmodes' },
  'roles.give': { method: 'POST', path: '/guilds/{guildId}/roles' },
  'roles.end': { method: 'DELETE', path: '/guilds/{guildId}/roles' },
  'roles.list': { method: 'GET', path: '/guilds/{guildId}/roles' },
  'servers.list': { method: 'GET', path: '/guilds/{guildId}/servers' },
  'servers.rcon': { method: 'POST', path: '/guilds/{guildId}/servers/{serverId}/rcon/run' },
  'members.get': { method: 'GET', path: '/guilds/{guildId}/members/{userId}' },
  'members.events': { method: 'GET', path: '/guilds/{guildId}/members/{userId}/events' },
  'members.kick': { method: 'POST', path: '/guilds/{guildId}/kicks' },
  'identities.list': { method: 'GET', path: '/guilds/{guildId}/identities' },
  'identities.add': { method: 'POST', path: '/guilds/{guildId}/members/{user_id}/identities' },
  'identities.remove': { method: 'DELETE', path: '/guilds/{guildId}/members/{user_id}/identities/{identity_id}' },
  'cases.get': { method: 'GET', path: '/guilds/{guildId}/cases/{caseId}' },
  'cases.edit': { method: 'PATCH', path: '/guilds/{guildId}/cases/{caseId}' },
  'cases.link': { method: 'POST', path: '/guilds/{guildId}/cases/{caseId}/links' },
  'cases.unlink': { method: 'DELETE', path: '/guilds/{guildId}/cases/{caseId}/links' },
  'cases.search': { method: 'GET', path: '/guilds/{guildId}/cases' },
  'rules.get': { method: 'GET', path: '/guilds/{guildId}/rules' },
  'audit.list': { method: 'GET', path: '/guilds/{guildId}/audit' },
  'audit.moderators': { method: 'GET', path: '/guilds/{guildId}/moderators' },
  'actions.get': { method: 'GET', path: '/guilds/{guildId}/actions/{actionId}' },
  'actions.stop': { method: 'POST', path: '/guilds/{guildId}/actions/{actionId}/stop' },
  'approvals.get': { method: 'GET', path: '/guilds/{guildId}/approvals/{approvalId}' },
} as const;

export type Operation = keyof typeof ROUTES;

/** What each operation takes: the fields of its path, query and body together. */
export interface Inputs {
  readonly 'me': Readonly<Record<string, never>>;
  readonly 'strikes.list': {
    /** Only strikes of this user */
    readonly user_id?: undefined | string;
    /** Only strikes of this severity */
    readonly severity?: undefined | 'minor' | 'major';
    /** Only strikes that count, or only those removed */
    readonly active?: undefined | boolean;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'strikes.get': {
    readonly strikeId: string;
  };
  readonly 'strikes.add': {
    /** Who gets the strike */
    readonly user_id: string;
    /** Name in the game */
    readonly player_name?: undefined | string;
    /** Id in the game */
    readonly in_game_id?: undefined | string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** Kind of offence */
    readonly category?: undefined | string;
    readonly severity: 'minor' | 'major';
    /** ADD STRIKE TO USER {user_id} IN GUILD {guildId} SEVERITY {MINOR or MAJOR} */
    readonly _confirmation: string;
  };
  readonly 'strikes.change': {
    readonly strikeId: string;
    readonly severity: 'minor' | 'major';
    /** Why it is changed, as the case's timeline will show it */
    readonly reason?: undefined | string;
    /** CHANGE STRIKE {strikeId} IN GUILD {guildId} TO SEVERITY {MINOR or MAJOR} */
    readonly _confirmation: string;
  };
  readonly 'strikes.remove': {
    readonly strikeId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** REMOVE STRIKE {strikeId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'warnings.add': {
    /** Who is warned */
    readonly user_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** Kind of offence */
    readonly category?: undefined | string;
    /** WARN USER {user_id} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'warnings.remove': {
    readonly warningId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** REMOVE WARNING {warningId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'bans.list': {
    /** Only bans in force, or only those lifted or expired */
    readonly active?: undefined | boolean;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'bans.get': {
    readonly userId: string;
  };
  readonly 'bans.add': {
    /** Who is banned; need not be a member */
    readonly user_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** Length of the ban in minutes; absent if it is permanent */
    readonly duration_minutes?: undefined | number;
    /** How far back the user's messages are deleted, in seconds */
    readonly delete_message_seconds?: undefined | number;
    /** BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N} */
    readonly _confirmation: string;
  };
  readonly 'bans.soft': {
    /** Who is removed; need not be a member */
    readonly user_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** How far back the user's messages are deleted, in seconds */
    readonly delete_message_seconds?: undefined | number;
    /** SOFTBAN USER {user_id} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'bans.change': {
    readonly userId: string;
    /** Length of the ban in minutes, counted from when it began; absent if it becomes permanent */
    readonly duration_minutes?: undefined | number;
    /** Why it is changed, as the case's timeline will show it */
    readonly reason?: undefined | string;
    /** CHANGE BAN OF USER {userId} IN GUILD {guildId} TO {PERMANENT or DURATION N} */
    readonly _confirmation: string;
  };
  readonly 'bans.lift': {
    readonly userId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** UNBAN USER {userId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'mutes.list': {
    /** Only mutes in force, or only those lifted or expired */
    readonly active?: undefined | boolean;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'mutes.add': {
    /** Who is muted */
    readonly user_id: string;
    /** Length of the mute in minutes */
    readonly duration_minutes: number;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** MUTE USER {user_id} IN GUILD {guildId} DURATION {N} */
    readonly _confirmation?: undefined | string;
  };
  readonly 'mutes.change': {
    readonly userId: string;
    /** Length of the mute in minutes, counted from when it began */
    readonly duration_minutes: number;
    /** Why it is changed, as the case's timeline will show it */
    readonly reason?: undefined | string;
    /** CHANGE MUTE OF USER {userId} IN GUILD {guildId} TO DURATION {N} */
    readonly _confirmation: string;
  };
  readonly 'mutes.lift': {
    readonly userId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** LIFT MUTE FROM USER {userId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'bans.preview': {
    /** Ids or mentions of users, one or more a line */
    readonly users?: undefined | string;
    /** Only members with this role */
    readonly role_id?: undefined | string;
    /** Only members who joined then or later */
    readonly joined_since?: undefined | string;
    /** Also users of the list who are not members */
    readonly include_left?: undefined | boolean;
  };
  readonly 'bans.many': {
    /** The preview: exactly its people are meant */
    readonly preview_id: string;
    /** How many they are, as the preview says */
    readonly count: number;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** Length of the bans in minutes; absent if they are permanent */
    readonly duration_minutes?: undefined | number;
    /** How far back their messages are deleted, in seconds */
    readonly delete_message_seconds?: undefined | number;
    /** BAN {count} USERS OF PREVIEW {preview_id} IN GUILD {guildId} {PERMANENT or DURATION N} */
    readonly _confirmation: string;
  };
  readonly 'bans.undo': {
    /** The call that is undone: its id is in its answer */
    readonly massId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** UNDO MASS BAN {massId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'mutes.preview': {
    /** Ids or mentions of users, one or more a line */
    readonly users?: undefined | string;
    /** Only members with this role */
    readonly role_id?: undefined | string;
    /** Only members who joined then or later */
    readonly joined_since?: undefined | string;
  };
  readonly 'mutes.many': {
    /** The preview: exactly its people are meant */
    readonly preview_id: string;
    /** How many they are, as the preview says */
    readonly count: number;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** Length of the mutes in minutes */
    readonly duration_minutes: number;
    /** MUTE {count} USERS OF PREVIEW {preview_id} IN GUILD {guildId} DURATION {N} */
    readonly _confirmation: string;
  };
  readonly 'mutes.undo': {
    /** The call that is undone: its id is in its answer */
    readonly massId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** UNDO MASS MUTE {massId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'actions.people': {
    readonly actionId: string;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'tickets.list': {
    /** Only tickets with this status */
    readonly status?: undefined | 'open' | 'claimed' | 'closed';
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'tickets.get': {
    readonly ticketId: string;
  };
  readonly 'tickets.claim': {
    readonly ticketId: string;
  };
  readonly 'tickets.assign': {
    readonly ticketId: string;
    /** Who takes care of it from now on */
    readonly user_id: string;
  };
  readonly 'tickets.unclaim': {
    readonly ticketId: string;
  };
  readonly 'tickets.notes': {
    readonly ticketId: string;
  };
  readonly 'tickets.note': {
    readonly ticketId: string;
    /** What the others who work on it should know */
    readonly text: string;
  };
  readonly 'tickets.unnote': {
    readonly ticketId: string;
    /** Which one */
    readonly note_id: string;
  };
  readonly 'tickets.stats': {
    /** How many days back */
    readonly days?: undefined | number;
  };
  readonly 'appeals.list': {
    /** Only appeals in this state */
    readonly state?: undefined | 'sent' | 'in_review' | 'accepted' | 'refused' | 'over';
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'appeals.get': {
    readonly appealId: string;
  };
  readonly 'appeals.vote': {
    readonly appealId: string;
    readonly vote: 'for' | 'against';
  };
  readonly 'appeals.refuse': {
    readonly appealId: string;
    /** What the person reads; it names no moderator */
    readonly reply?: undefined | string;
    /** REFUSE APPEAL {appealId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'reports.list': {
    /** Only reports with this status */
    readonly status?: undefined | 'open' | 'claimed' | 'closed';
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'reports.get': {
    readonly reportId: string;
  };
  readonly 'reports.claim': {
    readonly reportId: string;
  };
  readonly 'reports.close': {
    readonly reportId: string;
    /** What who made the report is told */
    readonly answer?: undefined | string;
    /** CLOSE REPORT {reportId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'messages.purge': {
    readonly channel_id: string;
    /** How many messages at most */
    readonly count: number;
    /** Only messages of this user */
    readonly user_id?: undefined | string;
    /** Only messages with this text */
    readonly contains?: undefined | string;
    /** Only messages of bots */
    readonly bots_only?: undefined | boolean;
    /** Only messages before this message id or time */
    readonly before?: undefined | string;
    /** Only messages after this message id or time */
    readonly after?: undefined | string;
    /** Delete pinned messages too */
    readonly include_pinned?: undefined | boolean;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** PURGE {count} MESSAGES IN CHANNEL {channel_id} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'messages.archive': {
    readonly archiveId: string;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'channels.slowmode': {
    /** Seconds between two messages of one member */
    readonly slowmode_seconds: number;
    /** After how many minutes the slowmode before comes back; absent: never */
    readonly duration_minutes?: undefined | number;
    readonly channel_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
  };
  readonly 'channels.lock': {
    /** After how many minutes it ends by itself; absent: never */
    readonly duration_minutes?: undefined | number;
    readonly channel_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
  };
  readonly 'channels.unlock': {
    readonly channelId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
  };
  readonly 'channels.lockdown': {
    /** After how many minutes it ends by itself; absent: never */
    readonly duration_minutes?: undefined | number;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
    /** LOCK GUILD {guildId} {PERMANENT or DURATION N} */
    readonly _confirmation: string;
  };
  readonly 'channels.reopen': {
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
  };
  readonly 'channels.locks': {
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'channels.slowmodes': {
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'roles.give': {
    /** Who gets it */
    readonly user_id: string;
    readonly role_id: string;
    /** After how many minutes it is taken back */
    readonly duration_minutes: number;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
  };
  readonly 'roles.end': {
    /** Who has it */
    readonly user_id: string;
    readonly role_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason?: undefined | string;
  };
  readonly 'roles.list': {
    /** Only those of this member */
    readonly user_id?: undefined | string;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'servers.list': {
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'servers.rcon': {
    readonly serverId: string;
    /** One line of at most 1446 bytes */
    readonly command: string;
    /** RUN RCON ON SERVER {serverId} IN GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'members.get': {
    readonly userId: string;
  };
  readonly 'members.events': {
    readonly userId: string;
  };
  readonly 'members.kick': {
    /** Which member is kicked */
    readonly user_id: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
    /** KICK USER {user_id} FROM GUILD {guildId} */
    readonly _confirmation: string;
  };
  readonly 'identities.list': {
    /** Only those of this person */
    readonly user_id?: undefined | string;
    /** Only this name or id, in any spelling with which it can be added */
    readonly in_game_id?: undefined | string;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'identities.add': {
    /** Whose identity it is */
    readonly user_id: string;
    /** What kind of identity it is */
    readonly platform: 'minecraft' | 'minecraft_uuid' | 'steam' | 'eos' | 'xbox' | 'other';
    /** Name or id in the game, as its kind has them */
    readonly in_game_id: string;
  };
  readonly 'identities.remove': {
    /** Whose identity it is */
    readonly user_id: string;
    /** Which one */
    readonly identity_id: string;
  };
  readonly 'cases.get': {
    readonly caseId: string;
  };
  readonly 'cases.edit': {
    readonly caseId: string;
    /** Why, as the case and Discord's audit log will show it */
    readonly reason: string;
  };
  readonly 'cases.link': {
    readonly caseId: string;
    /** Number of the other case, such as 12 */
    readonly other_number: number;
  };
  readonly 'cases.unlink': {
    readonly caseId: string;
    /** Number of the other case, such as 12 */
    readonly other_number: number;
  };
  readonly 'cases.search': {
    /** Beginnings of 1 to 8 words in the reason, the category or the name or id in the game */
    readonly words?: undefined | string;
    /** Only cases of this user */
    readonly user_id?: undefined | string;
    /** Only cases by this moderator */
    readonly issued_by?: undefined | string;
    /** Only cases of this kind */
    readonly kind?: undefined | 'strike' | 'ban' | 'mute' | 'warning' | 'kick' | 'softban';
    /** Only cases in force, or only those that ended */
    readonly active?: undefined | boolean;
    /** Only cases at or after this time */
    readonly since?: undefined | string;
    /** Only cases before this time */
    readonly until?: undefined | string;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'rules.get': Readonly<Record<string, never>>;
  readonly 'audit.list': {
    /** Only rows from this source */
    readonly actor_source?: undefined | 'token' | 'chat' | 'dashboard' | 'system' | 'operator';
    /** Only rows of this action, such as bans.add */
    readonly action?: undefined | string;
    /** Only rows about the thing with this id */
    readonly target?: undefined | string;
    /** Only rows at or after this time */
    readonly since?: undefined | string;
    /** Only rows before this time */
    readonly until?: undefined | string;
    /** How many items at most */
    readonly limit?: undefined | number;
    /** next_cursor of the page before */
    readonly cursor?: undefined | string;
  };
  readonly 'audit.moderators': {
    /** How many days back */
    readonly days?: undefined | number;
    /** Only this moderator */
    readonly user_id?: undefined | string;
  };
  readonly 'actions.get': {
    readonly actionId: string;
  };
  readonly 'actions.stop': {
    readonly actionId: string;
  };
  readonly 'approvals.get': {
    readonly approvalId: string;
  };
}

/** What each operation answers. */
export interface Outputs {
  readonly 'me': Me;
  readonly 'strikes.list': {
    readonly data: ReadonlyArray<Strike>;
    readonly next_cursor: string | null;
  };
  readonly 'strikes.get': StrikeWithNotice;
  readonly 'strikes.add': {
    readonly strike: Strike;
    readonly strike_id: string;
    readonly user_id: string;
    readonly severity: 'minor' | 'major';
    readonly issued_by: string;
    readonly issued_at: string;
  };
  readonly 'strikes.change': {
    readonly strike: Strike;
  };
  readonly 'strikes.remove': {
    readonly strike: Strike;
  };
  readonly 'warnings.add': {
    readonly warning: Warning;
  };
  readonly 'warnings.remove': {
    readonly warning: Warning;
  };
  readonly 'bans.list': {
    readonly data: ReadonlyArray<Ban>;
    readonly next_cursor: string | null;
  };
  readonly 'bans.get': BanWithNotice;
  readonly 'bans.add': {
    readonly ban: Ban;
  };
  readonly 'bans.soft': {
    readonly softban: Softban;
  };
  readonly 'bans.change': {
    readonly ban: Ban;
  };
  readonly 'bans.lift': {
    readonly ban: Ban;
  };
  readonly 'mutes.list': {
    readonly data: ReadonlyArray<Mute>;
    readonly next_cursor: string | null;
  };
  readonly 'mutes.add': {
    readonly mute: Mute;
  };
  readonly 'mutes.change': {
    readonly mute: Mute;
  };
  readonly 'mutes.lift': {
    readonly mute: Mute;
  };
  readonly 'bans.preview': {
    readonly preview: Preview;
  };
  readonly 'bans.many': {
    readonly many: Many;
  };
  readonly 'bans.undo': {
    readonly many: Many;
  };
  readonly 'mutes.preview': {
    readonly preview: Preview;
  };
  readonly 'mutes.many': {
    readonly many: Many;
  };
  readonly 'mutes.undo': {
    readonly many: Many;
  };
  readonly 'actions.people': {
    readonly data: ReadonlyArray<ListedPerson>;
    readonly next_cursor: string | null;
  };
  readonly 'tickets.list': {
    readonly data: ReadonlyArray<Ticket>;
    readonly next_cursor: string | null;
  };
  readonly 'tickets.get': Ticket;
  readonly 'tickets.claim': {
    readonly ticket: Ticket;
  };
  readonly 'tickets.assign': {
    readonly ticket: Ticket;
  };
  readonly 'tickets.unclaim': {
    readonly ticket: Ticket;
  };
  readonly 'tickets.notes': {
    /** At most 50 */
    readonly data: ReadonlyArray<TicketNote>;
  };
  readonly 'tickets.note': {
    readonly note: TicketNote;
  };
  readonly 'tickets.unnote': {
    readonly note: RemovedTicketNote;
  };
  readonly 'tickets.stats': {
    readonly days: number;
    readonly open_now: number;
    readonly opened: number;
    /** Tickets that were closed in the period */
    readonly closed: number;
    /** Until somebody other than the opener first wrote in it: the median of the closed ones, null without any */
    readonly first_answer_seconds: number | null;
    /** From its opening until it was closed: the median, null without any */
    readonly close_seconds: number | null;
    /** How many openers rated the help in the period */
    readonly ratings: number;
    /** From 1 to 5; null without ratings */
    readonly average_rating: number | null;
    /** Those with the most tickets, at most 50 */
    readonly categories: ReadonlyArray<TicketsOfCategory>;
    /** Those who closed the most, at most 50 */
    readonly people: ReadonlyArray<TicketsOfPerson>;
  };
  readonly 'appeals.list': {
    readonly data: ReadonlyArray<Appeal>;
    readonly next_cursor: string | null;
  };
  readonly 'appeals.get': Appeal;
  readonly 'appeals.vote': {
    readonly appeal: Appeal;
  };
  readonly 'appeals.refuse': {
    readonly appeal: Appeal;
  };
  readonly 'reports.list': {
    readonly data: ReadonlyArray<Report>;
    readonly next_cursor: string | null;
  };
  readonly 'reports.get': Report;
  readonly 'reports.claim': {
    readonly report: Report;
  };
  readonly 'reports.close': {
    readonly report: Report;
  };
  readonly 'messages.purge': {
    readonly purge: Purge;
  };
  readonly 'messages.archive': {
    readonly data: ReadonlyArray<PurgedMessage>;
    readonly next_cursor: string | null;
  };
  readonly 'channels.slowmode': {
    readonly slowmode: Slowmode;
  };
  readonly 'channels.lock': {
    readonly lock: Lock;
  };
  readonly 'channels.unlock': {
    readonly unlocked: {
      readonly channel_id: string | null;
    };
  };
  readonly 'channels.lockdown': {
    readonly lock: Lock;
    readonly still_open: StillOpen;
  };
  readonly 'channels.reopen': {
    readonly unlocked: {
      readonly channel_id: string | null;
    };
  };
  readonly 'channels.locks': {
    readonly data: ReadonlyArray<Lock>;
    readonly next_cursor: string | null;
  };
  readonly 'channels.slowmodes': {
    readonly data: ReadonlyArray<PassingSlowmode>;
    readonly next_cursor: string | null;
  };
  readonly 'roles.give': {
    readonly role: RoleForATime;
  };
  readonly 'roles.end': {
    readonly ended: {
      readonly user_id: string;
      readonly role_id: string;
      /** Whether they keep it, because somebody else has given it to them since */
      readonly left: boolean;
    };
  };
  readonly 'roles.list': {
    readonly data: ReadonlyArray<GivenRole>;
    readonly next_cursor: string | null;
  };
  readonly 'servers.list': {
    readonly data: ReadonlyArray<Server>;
    readonly next_cursor: string | null;
  };
  readonly 'servers.rcon': {
    readonly run: RconRun;
  };
  readonly 'members.get': Member;
  readonly 'members.events': {
    readonly data: ReadonlyArray<MemberEvent>;
  };
  readonly 'members.kick': {
    readonly kick: Kick;
  };
  readonly 'identities.list': {
    readonly data: ReadonlyArray<GameIdentity>;
    readonly next_cursor: string | null;
  };
  readonly 'identities.add': {
    readonly identity: GameIdentity;
  };
  readonly 'identities.remove': {
    readonly identity: GameIdentity;
  };
  readonly 'cases.get': WholeCase;
  readonly 'cases.edit': {
    readonly case: Case;
  };
  readonly 'cases.link': {
    readonly link: {
      readonly case_id: string;
      readonly case_number: number;
      readonly other_number: number;
    };
  };
  readonly 'cases.unlink': {
    readonly link: {
      readonly case_id: string;
      readonly case_number: number;
      readonly other_number: number;
    };
  };
  readonly 'cases.search': {
    readonly data: ReadonlyArray<Case>;
    readonly next_cursor: string | null;
  };
  readonly 'rules.get': Rules;
  readonly 'audit.list': {
    readonly data: ReadonlyArray<AuditRow>;
    readonly next_cursor: string | null;
  };
  readonly 'audit.moderators': {
    readonly days: number;
    /** At most 100 */
    readonly data: ReadonlyArray<Moderator>;
    /** How many more moderators there are */
    readonly more: number;
    /** Cases opened over tokens, which count for nobody */
    readonly by_tokens: number;
    /** Cases that Bailiff opened by itself, which count for nobody */
    readonly automatic: number;
  };
  readonly 'actions.get': {
    readonly action: Action;
  };
  readonly 'actions.stop': {
    readonly action: Action;
  };
  readonly 'approvals.get': Approval;
}

export interface Me {
  readonly token: {
    readonly id: string;
    readonly name: string;
    readonly kind: 'mcp' | 'rest';
    readonly created_at: string;
    readonly rotated_at: string | null;
    readonly expires_at: string | null;
  };
  readonly issuer: {
    readonly user_id: string;
    readonly username: string | null;
  };
  readonly guild: {
    readonly id: string;
    readonly name: string;
    readonly tier: 'free' | 'pro' | 'operator';
    /** trusted: calls are answered. Otherwise they get 503: the bot compares the guild with Discord, waits for Discord, is refused by it, or is not connected */
    readonly state: 'trusted' | 'comparing' | 'waiting' | 'refused' | 'disconnected';
    /** What the bot waits for, or why it is refused */
    readonly problem: 'outage' | 'no_answer' | 'rate_limited' | 'no_access' | null;
  };
  readonly snapshot: ReadonlyArray<'strikes.read' | 'strikes.write' | 'bans.read' | 'bans.write' | 'mutes.read' | 'mutes.write' | 'tickets.read' | 'tickets.write' | 'appeals.read' | 'appeals.write' | 'reports.read' | 'reports.write' | 'messages.purge' | 'channels.write' | 'roles.write' | 'servers.read' | 'servers.rcon' | 'members.read' | 'audit.read'>;
  readonly effective_capabilities: ReadonlyArray<'strikes.read' | 'strikes.write' | 'bans.read' | 'bans.write' | 'mutes.read' | 'mutes.write' | 'tickets.read' | 'tickets.write' | 'appeals.read' | 'appeals.write' | 'reports.read' | 'reports.write' | 'messages.purge' | 'channels.write' | 'roles.write' | 'servers.read' | 'servers.rcon' | 'members.read' | 'audit.read'>;
  readonly window: Window;
  readonly budgets: {
    readonly token: Budget;
    readonly user: Budget;
  };
}

export type Window = {
  readonly open: false;
} | {
  readonly open: true;
  readonly window: {
    readonly window_id: string;
    readonly expires_at: string;
  };
};

export interface Budget {
  readonly read: TierBudget;
  readonly reversible_write: TierBudget;
  readonly destructive_write: TierBudget;
}

export interface TierBudget {
  readonly capacity: number;
  readonly remaining: number;
  readonly refill_per_minute: number;
}

export interface Strike {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly player_name: string | null;
  readonly in_game_id: string | null;
  readonly severity: 'minor' | 'major';
  readonly category: string | null;
  readonly reason: string;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly removed_by: string | null;
  readonly removed_at: string | null;
  readonly active: boolean;
}

export interface StrikeWithNotice {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly player_name: string | null;
  readonly in_game_id: string | null;
  readonly severity: 'minor' | 'major';
  readonly category: string | null;
  readonly reason: string;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly removed_by: string | null;
  readonly removed_at: string | null;
  readonly active: boolean;
  /** What became of the direct message to the person concerned: told; closed (they take none), absent (not a member), not_sent or unknown; withdrawn after a refusal. null if there is none */
  readonly notice: 'sending' | 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown' | 'withdrawn' | null;
}

export interface Warning {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly category: string | null;
  readonly reason: string;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly removed_by: string | null;
  readonly removed_at: string | null;
  readonly active: boolean;
}

export interface Ban {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly reason: string | null;
  readonly permanent: boolean;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly lifted_by: string | null;
  readonly lifted_at: string | null;
  readonly active: boolean;
}

export interface BanWithNotice {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly reason: string | null;
  readonly permanent: boolean;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly lifted_by: string | null;
  readonly lifted_at: string | null;
  readonly active: boolean;
  /** What became of the direct message to the person concerned: told; closed (they take none), absent (not a member), not_sent or unknown; withdrawn after a refusal. null if there is none */
  readonly notice: 'sending' | 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown' | 'withdrawn' | null;
}

export interface Softban {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly reason: string;
  readonly issued_by: string;
  readonly issued_at: string;
}

export interface Mute {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly reason: string | null;
  readonly permanent: boolean;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly lifted_by: string | null;
  readonly lifted_at: string | null;
  readonly active: boolean;
  /** An imported mute can be longer than a year, and has 0 where its source did not say how long it is */
  readonly duration_minutes: number;
}

export interface Preview {
  /** For the call that acts on these people */
  readonly id: string;
  /** How many people it would act on */
  readonly count: number;
  readonly spared: ReadonlyArray<{
    /** unreadable: it names nobody; duplicate: named before; unfit: not with that role or that late; left: not a member; already: banned or muted already; self: who asks; bot; above: not below who asks and the bot; staff; later: after the first 1,000 people */
    readonly why: 'unreadable' | 'duplicate' | 'unfit' | 'left' | 'already' | 'self' | 'bot' | 'above' | 'staff' | 'later';
    readonly count: number;
  }>;
  readonly usable_until: string;
}

export interface Many {
  /** To undo it, and to read what became of each person */
  readonly id: string;
  readonly done: number;
  readonly failed: number;
  /** Discord gave no certain answer yet */
  readonly unknown: number;
  /** It ended before their turn: it was stopped, or Discord refuses all of them */
  readonly not_tried: number;
}

export interface ListedPerson {
  readonly line: number;
  /** null if the line names nobody */
  readonly user_id: string | null;
  /** Why nothing is done; null if something is */
  readonly spared: 'unreadable' | 'duplicate' | 'unfit' | 'left' | 'already' | 'self' | 'bot' | 'above' | 'staff' | 'later' | null;
  /** null if nothing is done; `not_tried`: the mass action ended before */
  readonly state: 'waiting' | 'done' | 'failed' | 'unknown' | 'undone' | 'not_tried' | null;
  /** Why it failed */
  readonly error: string | null;
  readonly case_number: number | null;
}

export interface Ticket {
  readonly id: string;
  readonly number: number;
  readonly subject: string;
  readonly status: 'open' | 'claimed' | 'closed';
  readonly opened_by: string;
  readonly channel_id: string | null;
  readonly opened_at: string;
  readonly claimed_by: string | null;
  readonly claimed_at: string | null;
  /** Who gave it to its claimer; null if they claimed it themselves */
  readonly assigned_by: string | null;
  readonly closed_by: string | null;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  /** When it was opened again after a closing; null if it never was */
  readonly reopened_at: string | null;
  readonly reopened_by: string | null;
  /** Who asked its opener whether it is solved; null if nobody asks */
  readonly close_asked_by: string | null;
  /** When it closes by itself, unless its opener keeps it open */
  readonly closes_at: string | null;
  /** What its opener chose; null where the guild has no categories */
  readonly category: string | null;
  /** To its questions */
  readonly answers: ReadonlyArray<{
    readonly question: string;
    readonly answer: string;
  }>;
}

export interface TicketNote {
  readonly id: string;
  readonly ticket_id: string;
  readonly text: string;
  readonly written_by: string;
  readonly written_at: string;
}

export interface RemovedTicketNote {
  readonly id: string;
  readonly ticket_id: string;
  readonly written_by: string;
  readonly written_at: string;
}

export interface TicketsOfCategory {
  /** Null: tickets without a category */
  readonly category: string | null;
  readonly opened: number;
  /** Tickets that were closed in the period */
  readonly closed: number;
  /** Until somebody other than the opener first wrote in it: the median of the closed ones, null without any */
  readonly first_answer_seconds: number | null;
  /** From its opening until it was closed: the median, null without any */
  readonly close_seconds: number | null;
  /** How many openers rated the help in the period */
  readonly ratings: number;
  /** From 1 to 5; null without ratings */
  readonly average_rating: number | null;
}

export interface TicketsOfPerson {
  /** Who had claimed it, or else closed it */
  readonly user_id: string;
  /** Tickets that were closed in the period */
  readonly closed: number;
  /** Until somebody other than the opener first wrote in it: the median of the closed ones, null without any */
  readonly first_answer_seconds: number | null;
  /** From its opening until it was closed: the median, null without any */
  readonly close_seconds: number | null;
  /** How many openers rated the help in the period */
  readonly ratings: number;
  /** From 1 to 5; null without ratings */
  readonly average_rating: number | null;
}

export interface Appeal {
  readonly id: string;
  readonly case_number: number;
  readonly kind: 'strike' | 'ban' | 'mute' | 'warning' | 'kick' | 'softban';
  readonly user_id: string;
  /** sent; in_review from the first vote on; accepted when a moderator lifted or removed the case; refused; over when the case ended otherwise */
  readonly state: 'sent' | 'in_review' | 'accepted' | 'refused' | 'over';
  /** Whether its case is in force */
  readonly active: boolean;
  readonly answers: ReadonlyArray<{
    readonly question: string;
    readonly answer: string;
  }>;
  readonly votes: {
    readonly for: number;
    readonly against: number;
  };
  readonly sent_at: string;
  /** Who decided; null in answers of calls, and always for the person who appealed */
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  /** What the guild answers to the person */
  readonly reply: string | null;
}

export interface Report {
  readonly id: string;
  readonly number: number;
  readonly status: 'open' | 'claimed' | 'closed';
  /** Who is reported */
  readonly user_id: string;
  /** null for whom the report is about, who never learns it */
  readonly reported_by: string | null;
  readonly reason: string;
  /** null if the report is about a person only */
  readonly message: {
    readonly id: string;
    readonly channel_id: string;
    /** As it was when it was reported */
    readonly text: string;
    /** Names of the attached files */
    readonly attachments: ReadonlyArray<string>;
    readonly sent_at: string;
  } | null;
  readonly reported_at: string;
  readonly claimed_by: string | null;
  readonly claimed_at: string | null;
  readonly closed_by: string | null;
  readonly closed_at: string | null;
  /** What who made the report was told at the end */
  readonly answer: string | null;
  /** What became of the direct message to the person concerned: told; closed (they take none), absent (not a member), not_sent or unknown; withdrawn after a refusal. null if there is none */
  readonly notice: 'sending' | 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown' | 'withdrawn' | null;
}

export interface Purge {
  readonly requested: number;
  readonly deleted: number;
  readonly skipped_pinned: number;
  readonly skipped_too_old: number;
  readonly archive_id: string | null;
}

export interface PurgedMessage {
  readonly id: string;
  readonly author_id: string;
  readonly author_name: string;
  readonly author_is_bot: boolean;
  readonly sent_at: string;
  readonly text: string;
  /** Names of the attached files, which are not kept */
  readonly attachments: ReadonlyArray<string>;
  readonly reply_to: string | null;
}

export interface Slowmode {
  readonly channel_id: string;
  readonly seconds: number;
  /** When the slowmode before comes back; null: never */
  readonly expires_at: string | null;
}

export interface Lock {
  /** null if the whole guild is locked */
  readonly channel_id: string | null;
  readonly locked_by: string;
  readonly locked_at: string;
  /** When it ends by itself; null: never */
  readonly expires_at: string | null;
  readonly reason: string | null;
}

export interface StillOpen {
  /** Roles that may write by themselves */
  readonly role_ids: ReadonlyArray<string>;
  /** Channels that let everyone, or a role that does not moderate, write by themselves */
  readonly channel_ids: ReadonlyArray<string>;
}

export interface PassingSlowmode {
  readonly channel_id: string;
  readonly seconds: number;
  /** When the slowmode before comes back; null: never */
  readonly expires_at: string | null;
  /** The slowmode that comes back */
  readonly seconds_before: number;
  readonly set_by: string;
  readonly set_at: string;
  readonly reason: string | null;
}

export interface RoleForATime {
  readonly user_id: string;
  readonly role_id: string;
  readonly expires_at: string;
}

export interface GivenRole {
  readonly user_id: string;
  readonly role_id: string;
  readonly expires_at: string;
  readonly given_by: string;
  readonly given_at: string;
  readonly reason: string | null;
}

export interface Server {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Whether the last check reached it; null before the first */
  readonly reachable: boolean | null;
  readonly checked_at: string | null;
}

export interface RconRun {
  readonly id: string;
  readonly server_id: string;
  /** The first 64 KiB */
  readonly output: string;
  /** Whether there was more */
  readonly truncated: boolean;
  /** How long it was; at most 1 MiB is read */
  readonly output_bytes: number;
  readonly duration_ms: number;
}

export interface Member {
  readonly user_id: string;
  readonly username: string | null;
  readonly display_name: string | null;
  /** What Discord says; null if nobody could say in time */
  readonly in_guild: boolean | null;
  readonly role_ids: ReadonlyArray<string>;
  /** What Discord says; null if nobody could say, or of who is not in the guild */
  readonly joined_at: string | null;
  readonly counts: {
    readonly strikes: number;
    readonly bans: number;
    readonly mutes: number;
    readonly tickets: number;
  };
}

export interface MemberEvent {
  readonly kind: 'joined' | 'left' | 'renamed';
  readonly at: string;
  /** From then on; null when they left */
  readonly username: string | null;
  /** In the guild, from then on; null when they left */
  readonly display_name: string | null;
  /** Before; null unless they changed their name */
  readonly old_username: string | null;
  /** Before; null unless it is known and changed */
  readonly old_display_name: string | null;
  /** Whether they had left before, at a time that no bot saw */
  readonly missed_leave: boolean;
}

export interface Kick {
  readonly id: string;
  readonly case_number: number;
  readonly user_id: string;
  readonly reason: string;
  readonly issued_by: string;
  readonly issued_at: string;
}

export interface GameIdentity {
  readonly id: string;
  readonly user_id: string;
  /** What kind of identity it is */
  readonly platform: 'minecraft' | 'minecraft_uuid' | 'steam' | 'eos' | 'xbox' | 'other';
  readonly in_game_id: string;
  readonly set_by: string;
  readonly set_at: string;
}

export interface WholeCase {
  readonly id: string;
  readonly case_number: number;
  readonly kind: 'strike' | 'ban' | 'mute' | 'warning' | 'kick' | 'softban';
  readonly user_id: string;
  readonly reason: string | null;
  readonly severity: 'minor' | 'major' | null;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly ended_by: string | null;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly active: boolean;
  /** Cases that belong together with it, of the kinds that the caller may read */
  readonly links: ReadonlyArray<{
    readonly id: string;
    readonly case_number: number;
    readonly kind: 'strike' | 'ban' | 'mute' | 'warning' | 'kick' | 'softban';
  }>;
  /** What was changed after it was opened, oldest first */
  readonly changes: ReadonlyArray<{
    readonly changed_by: string;
    readonly changed_at: string;
    readonly why: string | null;
    readonly before: {
      readonly reason?: undefined | string | null;
      readonly severity?: undefined | 'minor' | 'major';
      readonly expires_at?: undefined | string | null;
      /** null: permanent */
      readonly duration_minutes?: undefined | number | null;
    };
    readonly after: {
      readonly reason?: undefined | string | null;
      readonly severity?: undefined | 'minor' | 'major';
      readonly expires_at?: undefined | string | null;
      /** null: permanent */
      readonly duration_minutes?: undefined | number | null;
    };
  }>;
  /** Files that show why it was opened; the dashboard has them, for a year */
  readonly evidence: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    /** null for what is no picture */
    readonly media_type: string | null;
    readonly size_bytes: number;
    /** In hexadecimal; null for what is not kept */
    readonly sha256: string | null;
    /** Why it is not kept; null if it is */
    readonly problem: 'too_large' | 'unread' | 'full' | 'elsewhere' | null;
    /** Whether it is still being fetched from Discord */
    readonly fetching: boolean;
    readonly attached_at: string;
  }>;
  /** Messages that it is about, kept for a year */
  readonly messages: ReadonlyArray<{
    readonly id: string;
    readonly channel_id: string;
    readonly message_id: string;
    readonly author_id: string;
    readonly sent_at: string;
    /** As it was then; null if it could not be read any more */
    readonly text: string | null;
    readonly attached_at: string;
  }>;
}

export interface Case {
  readonly id: string;
  readonly case_number: number;
  readonly kind: 'strike' | 'ban' | 'mute' | 'warning' | 'kick' | 'softban';
  readonly user_id: string;
  readonly reason: string | null;
  readonly severity: 'minor' | 'major' | null;
  readonly issued_by: string;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly ended_by: string | null;
  readonly ended_at: string | null;
  readonly end_reason: string | null;
  readonly active: boolean;
}

export interface Rules {
  /** What strikes that people give lead to; those of tokens count, and lead to nothing by themselves */
  readonly escalation: {
    readonly minor_points: number;
    readonly major_points: number;
    /** Strikes older than this count no more; null: they always do */
    readonly decay_days: number | null;
    readonly steps: ReadonlyArray<{
      readonly points: number;
      readonly sanction: 'mute' | 'ban';
      /** Null is permanent */
      readonly duration_minutes: number | null;
    }>;
  };
  /** Reasons that moderators pick, with what goes with them */
  readonly presets: ReadonlyArray<{
    readonly kind: 'strike' | 'mute' | 'ban';
    readonly name: string;
    readonly reason: string;
    readonly severity: 'minor' | 'major' | null;
    readonly duration_minutes: number | null;
  }>;
}

export interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly actor_source: 'token' | 'chat' | 'dashboard' | 'system' | 'operator';
  /** User who acted; of a token, its issuer */
  readonly actor_user_id: string | null;
  readonly token_id: string | null;
  readonly token_name: string | null;
  /** Operation, such as bans.add, or what happened to a token */
  readonly action: string;
  readonly target_type: string | null;
  readonly target_id: string | null;
  readonly outcome: 'requested' | 'performed' | 'failed' | 'unknown' | 'cancelled' | 'refused';
  /** Error code of a call that was refused or failed */
  readonly code: string | null;
  readonly request_id: string | null;
  /** Only for a token of the guild's owner */
  readonly address: string | null;
  /** SHA-256 of the call in hexadecimal */
  readonly digest: string | null;
  readonly action_id: string | null;
  /** How often the refused call was made within an hour; of other rows 1 */
  readonly count: number;
  /** When it was made last; of other rows the same as at */
  readonly last_at: string;
}

export interface Moderator {
  readonly user_id: string;
  /** Cases that they opened in the period, also by hand in Discord */
  readonly cases: {
    readonly strike: number;
    readonly ban: number;
    readonly mute: number;
    readonly warning: number;
    readonly kick: number;
    readonly softban: number;
  };
  /** How many of these cases were lifted or removed before their time */
  readonly lifted: number;
  /** How many of the lifted ones an accepted appeal ended */
  readonly appealed: number;
  /** Reports of members that they closed in the period */
  readonly reports: number;
  /** Tickets that they closed in the period, or that closed by themselves as theirs */
  readonly tickets: number;
}

export interface Action {
  readonly id: string;
  readonly operation: string;
  readonly state: 'pending' | 'running' | 'done' | 'failed' | 'unknown' | 'cancelled';
  /** null until the action has ended */
  readonly outcome: 'performed' | 'not_performed' | 'unknown' | null;
  /** How far a long action has got, while it runs */
  readonly progress: {
    readonly done: number;
    /** null where nobody knows how much there is to do */
    readonly of: number | null;
  } | null;
  /** Who asked a long action to stop; null if nobody did */
  readonly stopped_by: string | null;
  /** What became of the direct message to the person concerned: told; closed (they take none), absent (not a member), not_sent or unknown; withdrawn after a refusal. null if there is none */
  readonly notice: 'sending' | 'told' | 'closed' | 'absent' | 'not_sent' | 'unknown' | 'withdrawn' | null;
  /** The body of the operation's answer, or { error } where the action failed; null until it has ended, and after 90 days */
  readonly result: Readonly<Record<string, unknown>> | null;
}

export interface Approval {
  readonly id: string;
  readonly operation: string;
  /** pending: the owner has not decided; approved: the same call would be admitted now; used: it was made; refused; withdrawn: it was approved, and the owner took that back; lapsed: nobody decided, or it was not made, in time */
  readonly state: 'pending' | 'approved' | 'refused' | 'withdrawn' | 'lapsed' | 'used';
  /** call: this very call, once; window: any destructive call of the token; null: not approved */
  readonly scope: 'call' | 'window' | null;
  /** Until when the same call is admitted; null if it is not */
  readonly approved_until: string | null;
  readonly asked_at: string;
  /** Until when the owner can decide */
  readonly lapses_at: string;
  readonly decided_at: string | null;
  /** The action of the call once it was made */
  readonly action_id: string | null;
}

export type ErrorCode =
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'CAPABILITY_DENIED'
  | 'INVALID_CONFIRMATION'
  | 'RE_AUTH_REQUIRED'
  | 'NOT_FOUND'
  | 'VALIDATION_FAILED'
  | 'RATE_LIMITED'
  | 'UPSTREAM_UNAVAILABLE'
  | 'TOKEN_EXPIRED'
  | 'TOKEN_REVOKED'
  | 'TOKEN_IP_NOT_ALLOWED'
  | 'CORS_DENIED'
  | 'ALREADY_CLAIMED'
  | 'INTERNAL_ERROR';

/** Why a caller cannot act on a target, in the order in which the reasons are checked (decisions: Errors). */
export type ForbiddenReason =
  | 'TARGET_IS_OWNER'
  | 'TARGET_IS_BOT'
  | 'TARGET_IS_SELF'
  | 'ROLE_HIERARCHY'
  | 'BOT_MISSING_PERMISSION'
  | 'BOT_TIMED_OUT'
  | 'TARGET_IS_ADMIN'
  | 'TWO_FACTOR_REQUIRED'
  | 'BAN_LIMIT'
  | 'ALREADY_BANNED'
  | 'MUTED_LONGER'
  | 'MESSAGE_CONTENT_REQUIRED'
  | 'CHANNEL_KIND'
  | 'CHANNEL_REQUIRED'
  | 'THREAD_LOCKED'
  | 'HAS_ROLE'
  | 'ROLE_NOT_GIVEN'
  | 'ROLE_GIVES_POWER'
  | 'THREAD_OR_CATEGORY'
  | 'LOCKED_BY_HAND'
  | 'SYSTEM_MESSAGE'
  | 'TEXT_BLOCKED'
  | 'DISCORD_REFUSED'
  | 'COMMAND_NOT_ALLOWED'
  | 'NO_GAME_COMMAND'
  | 'CASE_NOT_FITTING'
  | 'SENT_BEFORE'
  | 'NOT_CLAIMER'
  | 'NOT_ASSIGNABLE'
  | 'TICKET_NOT_CLOSED'
  | 'REOPEN_TOO_LATE'
  | 'OPENER_LEFT'
  | 'OPENER_TICKET_LIMIT'
  | 'OTHER_GUILD'
  | 'OWNER_ONLY'
  | 'SESSION_REQUIRED'
  | 'FOREIGN_ORIGIN'
  | 'GUILD_NOT_PAID'
  | 'TOKEN_LIMIT'
  | 'NOT_ISSUER'
  | 'SERVER_LIMIT'
  | 'TICKET_LIMIT'
  | 'TICKET_COOLDOWN'
  | 'TICKET_PAUSE'
  | 'TICKET_CATEGORY'
  | 'GUILD_TICKET_LIMIT'
  | 'CHANNEL_LIMIT'
  | 'PRESET_LIMIT'
  | 'NOTE_LIMIT'
  | 'TICKET_NOTE_LIMIT'
  | 'IDENTITY_LIMIT'
  | 'GUILD_IDENTITY_LIMIT'
  | 'IDENTITY_TAKEN'
  | 'IDENTITY_FORMAT'
  | 'LINK_CODE'
  | 'LINK_TRIES'
  | 'LINK_LIMIT'
  | 'GUILD_LINK_LIMIT'
  | 'APPEAL_DECIDED'
  | 'VOTES_NEEDED'
  | 'APPEAL_TOO_SOON'
  | 'APPEAL_LIMIT'
  | 'REPORTS_OFF'
  | 'REPORT_REPEATED'
  | 'REPORT_LIMIT'
  | 'REPORTED_OFTEN'
  | 'GUILD_REPORT_LIMIT'
  | 'REPORT_CLOSED'
  | 'CASE_CHANGE_LIMIT'
  | 'CASE_FORGOTTEN'
  | 'CASE_LINK_LIMIT'
  | 'CASE_LINK_SELF'
  | 'CASE_EVIDENCE_LIMIT'
  | 'GUILD_EVIDENCE_LIMIT'
  | 'END_IS_PAST'
  | 'ESCALATION_CHANGED'
  | 'NOT_DUE'
  | 'STOPPED'
  | 'ACTION_ENDED'
  | 'NOT_STOPPABLE'
  | 'PREVIEW_LAPSED'
  | 'COUNT_DIFFERS'
  | 'STILL_RUNNING';

/** Why a game server could not be used. */
export type ServerProblem =
  | 'login_refused'
  | 'login_lost'
  | 'unreachable'
  | 'connection_refused'
  | 'connection_failed'
  | 'connection_closed'
  | 'no_answer'
  | 'no_login_answer'
  | 'no_rcon'
  | 'endless'
  | 'name_unknown'
  | 'name_slow'
  | 'address_private';

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The type of `error.details`, by code. Those of a code that is not listed are empty. */
export interface ErrorDetails {
  UNAUTHORIZED: { reason: 'TOKEN_INVALID' | 'SESSION_REQUIRED' | 'SIGN_IN_AGAIN' };
  /**
   * With `BOT_MISSING_PERMISSION`: the Discord permissions to grant, if they are known, and the channel where the bot
   * lacks them, if it is not the whole guild.
   */
  FORBIDDEN: {
    reason: ForbiddenReason;
    permissions?: readonly string[];
    channel_id?: string;
    channel_name?: string;
    /** With `TICKET_LIMIT` and `GUILD_TICKET_LIMIT`: how many may be open. With `TICKET_PAUSE`: minutes. */
    limit?: number;
    /** With `IDENTITY_FORMAT`: the kind of identity. */
    platform?: string;
  };
  CAPABILITY_DENIED: { missing: readonly string[] };
  INVALID_CONFIRMATION: { expected_format: string; expected_concrete: string };
  /**
   * `pending`: the owner is asked. `refused`: they refused this call within the last hour. `muted`: they let this token
   * ask for nothing, so there is no request.
   */
  RE_AUTH_REQUIRED:
    | { reauth_url: string; approval_state: 'pending' | 'refused'; approval_id: string }
    | { reauth_url: string; approval_state: 'muted'; approval_id?: undefined };
  VALIDATION_FAILED: { issues: readonly Issue[] };
  RATE_LIMITED:
    | { scope: 'token' | 'user'; tier: string; retry_after_seconds: number }
    | { scope: 'ip' | 'session' | 'idempotency_key'; retry_after_seconds: number };
  UPSTREAM_UNAVAILABLE: {
    upstream: 'bot' | 'discord' | 'game_server' | 'database';
    outcome: 'not_performed' | 'unknown';
    action_id?: string;
    retry_after_seconds?: number;
    /** Why the bot cannot say what may be done in the guild, or do it. */
    guild_state?: 'disconnected' | 'comparing' | 'waiting' | 'refused' | 'left';
    /** Why a command was not sent to the game server. */
    server_problem?: ServerProblem;
    /** The same call would be refused again. */
    permanent?: true;
  };
}

export type DetailsOf<C extends ErrorCode> = C extends keyof ErrorDetails
  ? ErrorDetails[C]
  : Readonly<Record<string, never>>;

/** The envelope of every error on every surface (spec §7). */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly retryable: boolean;
    readonly request_id: string;
    /** Empty where there is nothing to add, so that callers can read a field of it without asking first. */
    readonly details: object;
  };
}
