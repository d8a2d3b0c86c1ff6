import { expect, test } from 'vitest';
import {
  BOT_PERMISSIONS,
  type BotOperation,
  CAPABILITIES,
  CHAT_OPERATION_NAMES,
  type ChatOperation,
  callOf,
  canBeDestructive,
  caseKind,
  caseState,
  chatEntryOf,
  entryOf,
  exampleId,
  expectedSentinel,
  type InputOf,
  isBotOperation,
  isDestructive,
  isFormOperation,
  isLongOperation,
  isOperationName,
  isReadOperation,
  isWriteOperation,
  matchesSentinel,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  pathParams,
  pathTemplate,
  REST_OPERATION_NAMES,
  type RestOperation,
  type StoreOperation,
  tierOf,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';
import { CHANNEL, GUILD, SAMPLES, SERVER, STRIKE, USER } from '#src/testing-samples.ts';

// Does not compile when a performer is missing or unknown. The engine's tables rely on this.
const PERFORMED: { [N in BotOperation]: 'bot' } & { [N in StoreOperation]: 'store' } = {
  me: 'store',
  'strikes.list': 'store',
  'strikes.get': 'store',
  'strikes.add': 'store',
  'strikes.change': 'store',
  'strikes.remove': 'store',
  'warnings.add': 'store',
  'warnings.remove': 'store',
  'bans.list': 'store',
  'bans.get': 'store',
  'bans.add': 'bot',
  'bans.soft': 'bot',
  'bans.change': 'bot',
  'bans.lift': 'bot',
  'bans.preview': 'bot',
  'bans.many': 'bot',
  'bans.undo': 'bot',
  'mutes.list': 'store',
  'mutes.add': 'bot',
  'mutes.change': 'bot',
  'mutes.lift': 'bot',
  'appeals.list': 'store',
  'appeals.get': 'store',
  'appeals.vote': 'store',
  'appeals.refuse': 'store',
  'mutes.preview': 'bot',
  'mutes.many': 'bot',
  'mutes.undo': 'bot',
  'tickets.list': 'store',
  'tickets.get': 'store',
  'tickets.claim': 'store',
  'tickets.assign': 'store',
  'tickets.unclaim': 'store',
  'tickets.ask': 'store',
  'tickets.notes': 'store',
  'tickets.note': 'store',
  'tickets.unnote': 'store',
  'tickets.stats': 'store',
  'tickets.open': 'bot',
  'tickets.close': 'bot',
  'tickets.reopen': 'bot',
  'tickets.panel': 'bot',
  'reports.add': 'store',
  'reports.list': 'store',
  'reports.get': 'store',
  'reports.claim': 'store',
  'reports.close': 'store',
  'messages.purge': 'bot',
  'messages.archive': 'store',
  'channels.slowmode': 'bot',
  'channels.lock': 'bot',
  'channels.unlock': 'bot',
  'channels.lockdown': 'bot',
  'channels.reopen': 'bot',
  'roles.give': 'bot',
  'channels.locks': 'store',
  'channels.slowmodes': 'store',
  'roles.list': 'store',
  'roles.end': 'bot',
  'servers.list': 'store',
  'servers.players': 'store',
  'servers.rcon': 'bot',
  'servers.sanction': 'bot',
  'members.get': 'store',
  'members.events': 'store',
  'members.kick': 'bot',
  'rules.get': 'store',
  'members.self': 'store',
  'cases.own': 'store',
  'cases.search': 'store',
  'cases.get': 'store',
  'cases.edit': 'store',
  'cases.attach': 'store',
  'cases.link': 'store',
  'cases.unlink': 'store',
  'cases.list': 'store',
  'notes.list': 'store',
  'notes.add': 'store',
  'notes.remove': 'store',
  'identities.list': 'store',
  'identities.add': 'store',
  'identities.remove': 'store',
  'identities.link': 'store',
  'identities.confirm': 'store',
  'audit.list': 'store',
  'audit.moderators': 'store',
  'actions.get': 'store',
  'actions.stop': 'store',
  'actions.people': 'store',
  'approvals.get': 'store',
};

const BASE = '/guilds/{guildId}';
const ACTION = exampleId('action');

/** The table of decisions: Operations. */
const DECIDED: readonly (readonly [RestOperation, string, string, string, number])[] = [
  ['me', 'GET /me', 'read', 'none', 200],
  ['strikes.list', `GET ${BASE}/strikes`, 'read', 'strikes.read', 200],
  ['strikes.get', `GET ${BASE}/strikes/{strikeId}`, 'read', 'strikes.read', 200],
  ['strikes.add', `POST ${BASE}/strikes`, 'destructive_write', 'strikes.write', 201],
  ['strikes.change', `PATCH ${BASE}/strikes/{strikeId}`, 'destructive_write', 'strikes.write', 200],
  ['strikes.remove', `DELETE ${BASE}/strikes/{strikeId}`, 'destructive_write', 'strikes.write', 200],
  ['warnings.add', `POST ${BASE}/warnings`, 'destructive_write', 'strikes.write', 201],
  ['warnings.remove', `DELETE ${BASE}/warnings/{warningId}`, 'destructive_write', 'strikes.write', 200],
  ['bans.list', `GET ${BASE}/bans`, 'read', 'bans.read', 200],
  ['bans.get', `GET ${BASE}/bans/{userId}`, 'read', 'bans.read', 200],
  ['bans.add', `POST ${BASE}/bans`, 'destructive_write', 'bans.write', 201],
  ['bans.soft', `POST ${BASE}/softbans`, 'destructive_write', 'bans.write', 201],
  ['bans.change', `PATCH ${BASE}/bans/{userId}`, 'destructive_write', 'bans.write', 200],
  ['bans.lift', `DELETE ${BASE}/bans/{userId}`, 'destructive_write', 'bans.write', 200],
  ['bans.preview', `POST ${BASE}/mass-bans/previews`, 'reversible_write', 'bans.write', 201],
  ['bans.many', `POST ${BASE}/mass-bans`, 'destructive_write', 'bans.write', 200],
  ['bans.undo', `DELETE ${BASE}/mass-bans/{massId}`, 'destructive_write', 'bans.write', 200],
  ['mutes.list', `GET ${BASE}/mutes`, 'read', 'mutes.read', 200],
  ['mutes.add', `POST ${BASE}/mutes`, 'destructive_write', 'mutes.write', 201],
  ['mutes.change', `PATCH ${BASE}/mutes/{userId}`, 'destructive_write', 'mutes.write', 200],
  ['mutes.lift', `DELETE ${BASE}/mutes/{userId}`, 'destructive_write', 'mutes.write', 200],
  ['mutes.preview', `POST ${BASE}/mass-mutes/previews`, 'reversible_write', 'mutes.write', 201],
  ['mutes.many', `POST ${BASE}/mass-mutes`, 'destructive_write', 'mutes.write', 200],
  ['mutes.undo', `DELETE ${BASE}/mass-mutes/{massId}`, 'destructive_write', 'mutes.write', 200],
  ['tickets.list', `GET ${BASE}/tickets`, 'read', 'tickets.read', 200],
  ['tickets.get', `GET ${BASE}/tickets/{ticketId}`, 'read', 'tickets.read', 200],
  ['tickets.claim', `POST ${BASE}/tickets/{ticketId}/claim`, 'reversible_write', 'tickets.write', 200],
  ['tickets.assign', `POST ${BASE}/tickets/{ticketId}/assign`, 'reversible_write', 'tickets.write', 200],
  ['tickets.unclaim', `POST ${BASE}/tickets/{ticketId}/unclaim`, 'reversible_write', 'tickets.write', 200],
  ['tickets.notes', `GET ${BASE}/tickets/{ticketId}/notes`, 'read', 'tickets.write', 200],
  ['tickets.stats', `GET ${BASE}/ticket-statistics`, 'read', 'tickets.read', 200],
  ['tickets.note', `POST ${BASE}/tickets/{ticketId}/notes`, 'reversible_write', 'tickets.write', 201],
  [
    'tickets.unnote',
    `DELETE ${BASE}/tickets/{ticketId}/notes/{note_id}`,
    'reversible_write',
    'tickets.write',
    200,
  ],
  ['appeals.list', `GET ${BASE}/appeals`, 'read', 'appeals.read', 200],
  ['appeals.get', `GET ${BASE}/appeals/{appealId}`, 'read', 'appeals.read', 200],
  ['appeals.vote', `POST ${BASE}/appeals/{appealId}/vote`, 'reversible_write', 'appeals.write', 200],
  ['appeals.refuse', `POST ${BASE}/appeals/{appealId}/refuse`, 'destructive_write', 'appeals.write', 200],
  ['reports.list', `GET ${BASE}/reports`, 'read', 'reports.read', 200],
  ['reports.get', `GET ${BASE}/reports/{reportId}`, 'read', 'reports.read', 200],
  ['reports.claim', `POST ${BASE}/reports/{reportId}/claim`, 'reversible_write', 'reports.write', 200],
  ['reports.close', `POST ${BASE}/reports/{reportId}/close`, 'destructive_write', 'reports.write', 200],
  ['messages.purge', `POST ${BASE}/mass-purge`, 'destructive_write', 'messages.purge', 200],
  ['messages.archive', `GET ${BASE}/archives/{archiveId}`, 'read', 'messages.purge', 200],
  ['channels.slowmode', `POST ${BASE}/slowmodes`, 'reversible_write', 'channels.write', 200],
  ['channels.lock', `POST ${BASE}/locks`, 'reversible_write', 'channels.write', 201],
  ['channels.unlock', `DELETE ${BASE}/locks/{channelId}`, 'reversible_write', 'channels.write', 200],
  ['channels.lockdown', `POST ${BASE}/lockdown`, 'destructive_write', 'channels.write', 201],
  ['channels.reopen', `DELETE ${BASE}/lockdown`, 'reversible_write', 'channels.write', 200],
  ['roles.give', `POST ${BASE}/roles`, 'reversible_write', 'roles.write', 201],
  ['roles.end', `DELETE ${BASE}/roles`, 'reversible_write', 'roles.write', 200],
  ['channels.locks', `GET ${BASE}/locks`, 'read', 'channels.write', 200],
  ['identities.list', `GET ${BASE}/identities`, 'read', 'members.read', 200],
  ['identities.add', `POST ${BASE}/members/{user_id}/identities`, 'reversible_write', 'strikes.write', 201],
  [
    'identities.remove',
    `DELETE ${BASE}/members/{user_id}/identities/{identity_id}`,
    'reversible_write',
    'strikes.write',
    200,
  ],
  ['channels.slowmodes', `GET ${BASE}/slowmodes`, 'read', 'channels.write', 200],
  ['roles.list', `GET ${BASE}/roles`, 'read', 'roles.write', 200],
  ['servers.list', `GET ${BASE}/servers`, 'read', 'servers.read', 200],
  ['servers.rcon', `POST ${BASE}/servers/{serverId}/rcon/run`, 'destructive_write', 'servers.rcon', 200],
  ['members.get', `GET ${BASE}/members/{userId}`, 'read', 'members.read', 200],
  ['members.events', `GET ${BASE}/members/{userId}/events`, 'read', 'members.read', 200],
  ['members.kick', `POST ${BASE}/kicks`, 'destructive_write', 'bans.write', 201],
  ['cases.search', `GET ${BASE}/cases`, 'read', 'of_case', 200],
  ['cases.get', `GET ${BASE}/cases/{caseId}`, 'read', 'of_case', 200],
  ['cases.edit', `PATCH ${BASE}/cases/{caseId}`, 'reversible_write', 'of_case', 200],
  ['cases.link', `POST ${BASE}/cases/{caseId}/links`, 'reversible_write', 'of_case', 201],
  ['cases.unlink', `DELETE ${BASE}/cases/{caseId}/links`, 'reversible_write', 'of_case', 200],
  ['rules.get', `GET ${BASE}/rules`, 'read', 'none', 200],
  ['audit.list', `GET ${BASE}/audit`, 'read', 'audit.read', 200],
  ['audit.moderators', `GET ${BASE}/moderators`, 'read', 'audit.read', 200],
  ['actions.get', `GET ${BASE}/actions/{actionId}`, 'read', 'of_action', 200],
  ['actions.stop', `POST ${BASE}/actions/{actionId}/stop`, 'reversible_write', 'of_action', 200],
  ['actions.people', `GET ${BASE}/actions/{actionId}/people`, 'read', 'of_action', 200],
  ['approvals.get', `GET ${BASE}/approvals/{approvalId}`, 'read', 'none', 200],
];

test.each(DECIDED)('%s is %s, %s, %s, %i', (name, route, tier, capability, success) => {
  const { http, capability: needed } = entryOf(name);
  expect(`${http.method} ${pathTemplate(name)}`).toBe(route);
  expect(tierOf(name, SAMPLES[name])).toBe(tier);
  expect(needed).toBe(capability);
  expect(http.success).toBe(success);
});

test('the table has the decided operations and no other', () => {
  expect([...REST_OPERATION_NAMES].sort()).toEqual(DECIDED.map(([name]) => name).sort());
});

/** The sentinels of the specification: the template, and the one of the sample. */
const SENTINELS: readonly (readonly [OperationName, string, string])[] = [
  [
    'strikes.add',
    'ADD STRIKE TO USER {user_id} IN GUILD {guildId} SEVERITY {MINOR or MAJOR}',
    `ADD STRIKE TO USER ${USER} IN GUILD ${GUILD} SEVERITY MINOR`,
  ],
  [
    'strikes.remove',
    'REMOVE STRIKE {strikeId} IN GUILD {guildId}',
    `REMOVE STRIKE ${STRIKE.toUpperCase()} IN GUILD ${GUILD}`,
  ],
  ['warnings.add', 'WARN USER {user_id} IN GUILD {guildId}', `WARN USER ${USER} IN GUILD ${GUILD}`],
  [
    'warnings.remove',
    'REMOVE WARNING {warningId} IN GUILD {guildId}',
    `REMOVE WARNING ${exampleId('warning').toUpperCase()} IN GUILD ${GUILD}`,
  ],
  [
    'bans.add',
    'BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
    `BAN USER ${USER} IN GUILD ${GUILD} PERMANENT`,
  ],
  ['bans.soft', 'SOFTBAN USER {user_id} IN GUILD {guildId}', `SOFTBAN USER ${USER} IN GUILD ${GUILD}`],
  [
    'strikes.change',
    'CHANGE STRIKE {strikeId} IN GUILD {guildId} TO SEVERITY {MINOR or MAJOR}',
    `CHANGE STRIKE ${STRIKE.toUpperCase()} IN GUILD ${GUILD} TO SEVERITY MAJOR`,
  ],
  [
    'bans.change',
    'CHANGE BAN OF USER {userId} IN GUILD {guildId} TO {PERMANENT or DURATION N}',
    `CHANGE BAN OF USER ${USER} IN GUILD ${GUILD} TO PERMANENT`,
  ],
  [
    'mutes.change',
    'CHANGE MUTE OF USER {userId} IN GUILD {guildId} TO DURATION {N}',
    `CHANGE MUTE OF USER ${USER} IN GUILD ${GUILD} TO DURATION 1440`,
  ],
  ['bans.lift', 'UNBAN USER {userId} IN GUILD {guildId}', `UNBAN USER ${USER} IN GUILD ${GUILD}`],
  [
    'mutes.add',
    'MUTE USER {user_id} IN GUILD {guildId} DURATION {N}',
    `MUTE USER ${USER} IN GUILD ${GUILD} DURATION 2880`,
  ],
  [
    'mutes.lift',
    'LIFT MUTE FROM USER {userId} IN GUILD {guildId}',
    `LIFT MUTE FROM USER ${USER} IN GUILD ${GUILD}`,
  ],
  [
    'bans.many',
    'BAN {count} USERS OF PREVIEW {preview_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
    `BAN 500 USERS OF PREVIEW ${ACTION.toUpperCase()} IN GUILD ${GUILD} PERMANENT`,
  ],
  [
    'bans.undo',
    'UNDO MASS BAN {massId} IN GUILD {guildId}',
    `UNDO MASS BAN ${ACTION.toUpperCase()} IN GUILD ${GUILD}`,
  ],
  [
    'mutes.many',
    'MUTE {count} USERS OF PREVIEW {preview_id} IN GUILD {guildId} DURATION {N}',
    `MUTE 500 USERS OF PREVIEW ${ACTION.toUpperCase()} IN GUILD ${GUILD} DURATION 60`,
  ],
  [
    'mutes.undo',
    'UNDO MASS MUTE {massId} IN GUILD {guildId}',
    `UNDO MASS MUTE ${ACTION.toUpperCase()} IN GUILD ${GUILD}`,
  ],
  [
    'appeals.refuse',
    'REFUSE APPEAL {appealId} IN GUILD {guildId}',
    `REFUSE APPEAL ${exampleId('appeal').toUpperCase()} IN GUILD ${GUILD}`,
  ],
  [
    'reports.close',
    'CLOSE REPORT {reportId} IN GUILD {guildId}',
    `CLOSE REPORT ${exampleId('report').toUpperCase()} IN GUILD ${GUILD}`,
  ],
  ['members.kick', 'KICK USER {user_id} FROM GUILD {guildId}', `KICK USER ${USER} FROM GUILD ${GUILD}`],
  [
    'messages.purge',
    'PURGE {count} MESSAGES IN CHANNEL {channel_id} IN GUILD {guildId}',
    `PURGE 50 MESSAGES IN CHANNEL ${CHANNEL} IN GUILD ${GUILD}`,
  ],
  ['channels.lockdown', 'LOCK GUILD {guildId} {PERMANENT or DURATION N}', `LOCK GUILD ${GUILD} PERMANENT`],
  [
    'servers.rcon',
    'RUN RCON ON SERVER {serverId} IN GUILD {guildId}',
    `RUN RCON ON SERVER ${SERVER.toUpperCase()} IN GUILD ${GUILD}`,
  ],
  [
    'servers.sanction',
    '{KICK or BAN or UNBAN} USER {user_id} ON SERVER {server_id} IN GUILD {guildId}',
    `BAN USER ${USER} ON SERVER ${SERVER.toUpperCase()} IN GUILD ${GUILD}`,
  ],
];

test.each(SENTINELS)('%s expects the template of the specification, filled in', (name, format, concrete) => {
  expect(expectedSentinel(name, GUILD, SAMPLES[name])).toEqual({ format, concrete });
  expect(matchesSentinel(name, GUILD, SAMPLES[name], concrete)).toBe(true);
});

test('every destructive operation has a decided sentinel', () => {
  expect(SENTINELS.map(([name]) => name).sort()).toEqual(OPERATION_NAMES.filter(canBeDestructive).sort());
});

/** To whom Discord shows the commands. */
const SHOWN_TO: { readonly [N in ChatOperation]: string } = {
  'strikes.list': 'ModerateMembers',
  'strikes.add': 'ModerateMembers',
  'strikes.change': 'ModerateMembers',
  'strikes.remove': 'ModerateMembers',
  'warnings.add': 'ModerateMembers',
  'warnings.remove': 'ModerateMembers',
  'bans.add': 'BanMembers',
  'bans.soft': 'BanMembers',
  'bans.change': 'BanMembers',
  'bans.lift': 'BanMembers',
  'bans.preview': 'BanMembers',
  'bans.undo': 'BanMembers',
  'mutes.preview': 'ModerateMembers',
  'mutes.undo': 'ModerateMembers',
  'mutes.add': 'ModerateMembers',
  'mutes.change': 'ModerateMembers',
  'mutes.lift': 'ModerateMembers',
  'tickets.claim': 'Administrator',
  'tickets.assign': 'Administrator',
  'tickets.notes': 'Administrator',
  'tickets.note': 'Administrator',
  'tickets.stats': 'Administrator',
  'tickets.unclaim': 'Administrator',
  'tickets.open': 'everyone',
  'tickets.ask': 'Administrator',
  'tickets.close': 'Administrator',
  'tickets.reopen': 'Administrator',
  'tickets.panel': 'Administrator',
  'reports.add': 'everyone',
  'messages.purge': 'ManageMessages',
  'channels.slowmode': 'ManageChannels',
  'channels.lock': 'ManageChannels',
  'channels.unlock': 'ManageChannels',
  'channels.lockdown': 'ManageChannels',
  'channels.reopen': 'ManageChannels',
  'roles.give': 'ManageRoles',
  'roles.end': 'ManageRoles',
  'channels.locks': 'ManageChannels',
  'channels.slowmodes': 'ManageChannels',
  'roles.list': 'ManageRoles',
  // No permission of Discord's goes with a game server's console.
  'servers.players': 'Administrator',
  'servers.rcon': 'Administrator',
  'members.kick': 'KickMembers',
  'members.self': 'everyone',
  'cases.own': 'everyone',
  'cases.search': 'ModerateMembers',
  'cases.get': 'ModerateMembers',
  'cases.edit': 'ModerateMembers',
  'cases.attach': 'ModerateMembers',
  'cases.link': 'ModerateMembers',
  'cases.unlink': 'ModerateMembers',
  'cases.list': 'ModerateMembers',
  'notes.list': 'ModerateMembers',
  'notes.add': 'ModerateMembers',
  'notes.remove': 'ModerateMembers',
  'identities.list': 'ModerateMembers',
  'identities.add': 'ModerateMembers',
  'identities.remove': 'ModerateMembers',
  'identities.link': 'everyone',
  'identities.confirm': 'ModerateMembers',
  'actions.stop': 'ManageMessages',
  'audit.moderators': 'ViewAuditLog',
};

test('commands are shown to those who have the Discord permission that goes with their capability', () => {
  const shown = CHAT_OPERATION_NAMES.map((name) => [name, chatEntryOf(name).shownTo]);
  expect(Object.fromEntries(shown)).toEqual(SHOWN_TO);
});

test('a command with subcommands asks for one permission, because Discord would ask for all of them together', () => {
  verifies('bot.shown.one-permission');
  const groups = Map.groupBy(CHAT_OPERATION_NAMES, (name) => chatEntryOf(name).command.split(' ')[0] ?? '');
  for (const [group, names] of groups) {
    const asked = new Set(names.map((name) => chatEntryOf(name).shownTo).filter((who) => who !== 'everyone'));
    expect([...asked].length, `/${group} asks for ${[...asked].join(' and ')}`).toBeLessThanOrEqual(1);
  }
});

test('what exists in chat only has neither route nor tool, and everything else has both', () => {
  const chatOnly = OPERATION_NAMES.filter((name) => entryOf(name).http === null);
  expect(chatOnly.sort()).toEqual([
    'cases.attach',
    'cases.list',
    'cases.own',
    'identities.confirm',
    'identities.link',
    'members.self',
    'notes.add',
    'notes.list',
    'notes.remove',
    'reports.add',
    'servers.players',
    'servers.sanction',
    'tickets.ask',
    'tickets.close',
    'tickets.open',
    'tickets.panel',
    'tickets.reopen',
  ]);
  for (const name of chatOnly.filter((each) => each !== 'servers.sanction')) {
    expect(entryOf(name)).toMatchObject({ tool: null, chat: {} });
  }
  // Chat and dashboard make it together with a ban, a kick or its lifting.
  expect(entryOf('servers.sanction')).toMatchObject({ tool: null, dashboard: { on: 'own_page' } });
  for (const name of REST_OPERATION_NAMES) expect(entryOf(name).tool).not.toBeNull();
});

test('every operation is performed where its type says', () => {
  for (const name of OPERATION_NAMES) expect(OPERATIONS[name].performedBy).toBe(PERFORMED[name]);
});

test('a sentinel and its sentence exist exactly where a call can be destructive', () => {
  for (const name of OPERATION_NAMES) {
    const { tier, sentinel, sentence } = entryOf(name);
    const destructive = typeof tier === 'function' || tier === 'destructive_write';
    expect([name, sentinel !== undefined]).toEqual([name, destructive]);
    expect([name, sentence !== undefined]).toEqual([name, destructive]);
    expect(canBeDestructive(name)).toBe(destructive);
  }
});

test('every placeholder of a sentinel is the guild, a required field or the one choice', () => {
  for (const name of OPERATION_NAMES) {
    const { sentinel, input } = entryOf(name);
    const placeholders = [...(sentinel?.template ?? '').matchAll(/\{([^}]*)\}/g)].map(
      ([, inner]) => inner ?? '',
    );
    const fields = placeholders.filter((inner) => Object.hasOwn(input.shape, inner));
    for (const field of fields) expect(input.shape[field]?.safeParse(undefined).success).toBe(false);
    const choices = placeholders.filter((inner) => inner !== 'guildId' && !fields.includes(inner));
    expect([name, choices.length]).toEqual([name, sentinel?.choice === undefined ? 0 : 1]);
    if (sentinel !== undefined) expect(placeholders).toContain('guildId');
  }
});

test('every path parameter is a required field of the input, and a GET has no other required one', () => {
  for (const name of REST_OPERATION_NAMES) {
    const { input, http } = entryOf(name);
    const required = Object.keys(input.shape).filter(
      (field) => !input.shape[field]?.safeParse(undefined).success,
    );
    expect(required).toEqual(expect.arrayContaining([...pathParams(name)]));
    if (http.method === 'GET') expect(required).toEqual(pathParams(name));
  }
});

test('reads are GETs of the read tier', () => {
  for (const name of REST_OPERATION_NAMES) {
    const { http, tier } = entryOf(name);
    expect([name, http.method === 'GET']).toEqual([name, tier === 'read']);
  }
});

test('every capability is needed by some operation', () => {
  verifies('capability.names');
  expect([...CAPABILITIES].sort()).toEqual([
    'appeals.read',
    'appeals.write',
    'audit.read',
    'bans.read',
    'bans.write',
    'channels.write',
    'members.read',
    'messages.purge',
    'mutes.read',
    'mutes.write',
    'reports.read',
    'reports.write',
    'roles.write',
    'servers.rcon',
    'servers.read',
    'strikes.read',
    'strikes.write',
    'tickets.read',
    'tickets.write',
  ]);
  const needed = new Set(OPERATION_NAMES.map((name) => entryOf(name).capability));
  expect([...needed].sort()).toEqual([...CAPABILITIES, 'none', 'of_action', 'of_case'].sort());
});

test('no input has a field for the confirmation, and none takes a field it does not name', () => {
  for (const name of OPERATION_NAMES) {
    expect(Object.keys(entryOf(name).input.shape)).not.toContain('_confirmation');
    expect(entryOf(name).input.safeParse({ ...SAMPLES[name], surplus: 1 }).success).toBe(false);
  }
});

test('the example of every operation is a right input and a right answer', () => {
  for (const name of OPERATION_NAMES) {
    const { input, output, example } = entryOf(name);
    expect([name, input.safeParse(example.input).error]).toEqual([name, undefined]);
    expect(output.parse(example.output)).toEqual(example.output);
  }
});

test('the example of an operation that can be destructive is destructive', () => {
  for (const name of OPERATION_NAMES.filter(canBeDestructive)) {
    const { input, example } = entryOf(name);
    expect([name, isDestructive(name, input.parse(example.input) as InputOf<typeof name>)]).toEqual([
      name,
      true,
    ]);
  }
});

test('forms ask for fields that the operation has, and what a menu cannot know is asked for', () => {
  for (const name of OPERATION_NAMES) {
    const { chat, dashboard, input } = entryOf(name);
    const inDialog = dashboard !== undefined && 'form' in dashboard ? dashboard.form : [];
    for (const field of [...(chat?.form ?? []), ...inDialog])
      expect(Object.keys(input.shape)).toContain(field);
    if (chat?.form === undefined) continue;
    const needed = Object.keys(input.shape).filter(
      (field) => !input.shape[field]?.safeParse(undefined).success,
    );
    expect([name, needed.filter((field) => field !== 'user_id' && !chat.form?.includes(field))]).toEqual([
      name,
      [],
    ]);
  }
});

test('the bot is invited with the permissions of its operations and of its log channel', () => {
  verifies('bot.invitation');
  // Kick Members, Ban Members, Manage Channels, View Audit Log, View Channels, Send Messages, Manage Messages, Embed Links,
  // Attach Files, Read Message History, Connect, Manage Roles, Manage Threads, Send Messages in Threads, Moderate
  // Members.
  expect(BOT_PERMISSIONS).toBe(
    [1n, 2n, 4n, 7n, 10n, 11n, 13n, 14n, 15n, 16n, 20n, 28n, 34n, 38n, 40n].reduce(
      (bits, bit) => bits | (1n << bit),
      0n,
    ),
  );
});

test('tool and command names are unique and legal', () => {
  const entries = OPERATION_NAMES.map((name) => entryOf(name));
  const tools = REST_OPERATION_NAMES.map((name) => entryOf(name)).flatMap(({ tool }) => [
    tool.name,
    ...(tool.destructive ? [tool.destructive.name] : []),
  ]);
  expect(new Set(tools).size).toBe(tools.length);
  for (const tool of tools) expect(tool).toMatch(/^[a-z]+(_[a-z]+)*$/);
  const commands = entries.flatMap(({ chat }) => (chat ? [chat.command] : []));
  expect(new Set(commands).size).toBe(commands.length);
  // Discord: 1 to 32 lower-case characters per word, a command and at most one subcommand here.
  for (const command of commands) expect(command).toMatch(/^[a-z]{1,32}( [a-z]{1,32})?$/);
});

test('two tools exist exactly where the tier depends on the input', () => {
  for (const name of REST_OPERATION_NAMES) {
    const { tier, tool } = entryOf(name);
    expect([name, tool.destructive !== undefined]).toEqual([name, typeof tier === 'function']);
  }
});

test('a mute of 1440 minutes is reversible, one of 1441 destructive', () => {
  const mute = (duration_minutes: number): InputOf<'mutes.add'> => ({
    ...SAMPLES['mutes.add'],
    duration_minutes,
  });
  expect(tierOf('mutes.add', mute(1440))).toBe('reversible_write');
  expect(isDestructive('mutes.add', mute(1440))).toBe(false);
  expect(isDestructive('mutes.add', mute(1441))).toBe(true);
});

/** The operations whose audit rows name a target of this type; the others are about the guild. */
const TARGETS: Readonly<Record<string, readonly OperationName[]>> = {
  [`user ${USER}`]: [
    ...([
      'strikes.add',
      'warnings.add',
      'bans.get',
      'bans.add',
      'bans.soft',
      'roles.give',
      'roles.end',
      'bans.change',
      'bans.lift',
      'mutes.add',
      'mutes.change',
      'mutes.lift',
    ] as const),
    ...([
      'members.get',
      'members.events',
      'members.kick',
      'servers.sanction',
      'cases.list',
      'notes.list',
      'notes.add',
      'notes.remove',
    ] as const),
    ...(['identities.add', 'identities.remove', 'identities.confirm'] as const),
  ],
  [`strike ${STRIKE}`]: ['strikes.get', 'strikes.change', 'strikes.remove'],
  [`case ${exampleId('strike')}`]: ['cases.get', 'cases.edit', 'cases.attach', 'cases.link', 'cases.unlink'],
  [`warning ${exampleId('warning')}`]: ['warnings.remove'],
  [`ticket ${exampleId('ticket')}`]: [
    'tickets.get',
    'tickets.claim',
    'tickets.assign',
    'tickets.unclaim',
    'tickets.notes',
    'tickets.note',
    'tickets.unnote',
    'tickets.ask',
    'tickets.close',
    'tickets.reopen',
  ],
  [`appeal ${exampleId('appeal')}`]: ['appeals.get', 'appeals.vote', 'appeals.refuse'],
  [`report ${exampleId('report')}`]: ['reports.get', 'reports.claim', 'reports.close'],
  [`channel ${CHANNEL}`]: [
    ...(['tickets.panel', 'messages.purge'] as const),
    ...(['channels.slowmode', 'channels.lock', 'channels.unlock'] as const),
  ],
  [`server ${SERVER}`]: ['servers.players', 'servers.rcon'],
  [`action ${ACTION}`]: [
    ...(['actions.get', 'actions.stop', 'actions.people'] as const),
    ...(['bans.many', 'bans.undo', 'mutes.many', 'mutes.undo'] as const),
  ],
  [`approval ${exampleId('approval')}`]: ['approvals.get'],
  [`archive ${exampleId('archive')}`]: ['messages.archive'],
};

test('the target of a call is what its fields name', () => {
  const targetOf = (name: OperationName) => entryOf(name).target(SAMPLES[name]);
  for (const [target, names] of Object.entries(TARGETS)) {
    for (const name of names) {
      expect([name, `${targetOf(name)?.type} ${targetOf(name)?.id}`]).toEqual([name, target]);
    }
  }
  const named = Object.values(TARGETS).flat();
  const others = OPERATION_NAMES.filter((name) => !named.includes(name));
  for (const name of others) expect([name, targetOf(name)]).toEqual([name, null]);
});

test.each(['strikes.list', 'cases.search', 'roles.list', 'identities.list', 'audit.moderators'] as const)(
  '%s has a target when it is narrowed to a person',
  (name) => {
    expect(entryOf(name).target({ ...SAMPLES[name], user_id: USER })).toEqual({ type: 'user', id: USER });
  },
);

test('what takes long is known, and nothing else', () => {
  const named = ['messages.purge', 'tickets.close'];
  const isMany = (name: OperationName) => /^(?:bans|mutes)\.(?:preview|many|undo)$/.test(name);
  for (const name of OPERATION_NAMES) {
    expect([name, isLongOperation(name)]).toEqual([name, named.includes(name) || isMany(name)]);
  }
  expect(isLongOperation('bans')).toBe(false);
});

test('operations are told apart by what they do and who performs them', () => {
  for (const name of OPERATION_NAMES) {
    const { tier, performedBy, chat } = entryOf(name);
    expect([name, isReadOperation(name), isWriteOperation(name), isBotOperation(name)]).toEqual([
      ...[name, tier === 'read', tier !== 'read', performedBy === 'bot'],
    ]);
    expect([name, isFormOperation(name)]).toEqual([name, chat !== undefined && 'form' in chat]);
  }
  const input = SAMPLES['bans.add'];
  expect(callOf('bans.add', input)).toEqual({ operation: 'bans.add', input });
});

test('a case is known by its kind', () => {
  expect(caseKind('ban')).toMatchObject({ idPrefix: 'ban', reader: 'bans.read', words: 'bans.add' });
});

test('a case stands where people see it: what ended with its time has expired, whoever noted that', () => {
  const of = { kind: 'ban', active: false, ended_at: '2026-02-01', expires_at: null } as const;
  expect(caseState(of)).toBe('lifted');
  expect(caseState({ ...of, active: true })).toBe('inForce');
  expect(caseState({ ...of, kind: 'strike' })).toBe('removed');
  expect(caseState({ ...of, kind: 'kick', active: true })).toBe('onRecord');
  expect(caseState({ ...of, ended_at: null })).toBe('expired');
  expect(caseState({ ...of, expires_at: '2026-02-01' })).toBe('expired');
  expect(caseState({ ...of, expires_at: '2026-02-02' })).toBe('lifted');
  expect(caseState({ ...of, expires_at: '2026-02-01' }, true)).toBe('replaced');
  expect(caseState({ ...of, ended_at: null }, true)).toBe('replaced');
});

test('commands wait for each other only on the same game server', () => {
  for (const name of ['servers.rcon', 'servers.sanction'] as const) {
    expect(entryOf(name).oneAtATime?.(SAMPLES[name] as never)).toBe(SERVER);
  }
});

test('a command for a game server is one line of at most 1446 bytes of UTF-8', () => {
  const flawsOf = (command: string) =>
    entryOf('servers.rcon')
      .input.safeParse({ serverId: SERVER, command })
      .error?.issues.map(({ message }) => message) ?? [];
  expect([flawsOf('é'.repeat(723)), flawsOf('x'.repeat(1446))]).toEqual([[], []]);
  expect(flawsOf('é'.repeat(724))).toEqual(['must have at most 1446 bytes of UTF-8']);
  for (const lineBreak of ['\n', '\v', '\f', '\r', '\u0085', '\u2028', '\u2029']) {
    expect(flawsOf(`say a${lineBreak}stop`)).toEqual(['must be one line']);
  }
});

test('a command for a game server has no control characters but tabs: some servers read them as spaces, and no policy does', () => {
  for (const control of ['\u0001', '\u001b', '\u007f', '\u0090']) {
    const parsed = entryOf('servers.rcon').input.safeParse({ serverId: SERVER, command: `${control}stop` });
    expect(parsed.error?.issues[0]?.message).toBe('must not contain control characters');
  }
});

test('only names of the table are operation names', () => {
  expect(isOperationName('bans.add')).toBe(true);
  for (const name of ['bans', 'toString', '__proto__', '']) expect(isOperationName(name)).toBe(false);
});
