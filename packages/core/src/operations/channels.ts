import { z } from 'zod';
import { Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation, yesOrNo } from './operation.ts';
import { Minutes, Reason, Timestamp } from './shapes.ts';

/** Discord's longest slowmode: six hours. */
const LONGEST_SLOWMODE_SECONDS = 21_600;

/** A lock of a channel, or of the whole guild. */
const Lock = z
  .object({
    channel_id: Snowflake.nullable().describe('null if the whole guild is locked'),
    locked_by: Snowflake,
    locked_at: Timestamp,
    expires_at: Timestamp.nullable().describe('When it ends by itself; null: never'),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Lock' });

const Slowmode = z
  .object({
    channel_id: Snowflake,
    seconds: z.int().min(0),
    expires_at: Timestamp.nullable().describe('When the slowmode before comes back; null: never'),
  })
  .meta({ id: 'Slowmode' });

/** A slowmode after which the one before comes back. */
const PassingSlowmode = Slowmode.extend({
  seconds_before: z.int().min(0).describe('The slowmode that comes back'),
  set_by: Snowflake,
  set_at: Timestamp,
  reason: z.string().nullable(),
}).meta({ id: 'PassingSlowmode' });

/** Who and what can still write while the guild is locked, because Discord lets roles and channels say otherwise. */
const StillOpen = z
  .object({
    role_ids: z.array(Snowflake).describe('Roles that may write by themselves'),
    channel_ids: z
      .array(Snowflake)
      .describe('Channels that let everyone, or a role that does not moderate, write by themselves'),
  })
  .meta({ id: 'StillOpen' });

const lockedFor = Minutes.optional().describe('After how many minutes it ends by itself; absent: never');

const LOCK: z.output<typeof Lock> = {
  channel_id: EXAMPLE_IDS.channel,
  locked_by: EXAMPLE_IDS.issuer,
  locked_at: ISSUED_AT,
  expires_at: '2026-01-31T13:00:00.000Z',
  reason: 'Raid',
};

/** What locking and unlocking have in common: both change what @everyone may do. */
const OF_LOCKS = {
  capability: 'channels.write',
  performedBy: 'bot',
  botPermissions: ['ViewChannel', 'ManageRoles', 'SendMessages', 'SendMessagesInThreads', 'ViewAuditLog'],
} as const;

const Unlocked = z.object({ unlocked: z.object({ channel_id: Snowflake.nullable() }) });

export const channels = {
  'channels.slowmode': operation({
    summary: 'Set how many seconds members wait between two messages in a channel; 0 switches it off',
    http: { method: 'POST', path: '/slowmodes', success: 200, idempotent: true },
    tool: { name: 'set_slowmode' },
    chat: { command: 'slowmode', shownTo: 'ManageChannels' },
    dashboard: { on: 'own_page' },
    capability: 'channels.write',
    tier: 'reversible_write',
    performedBy: 'bot',
    botPermissions: ['ViewChannel', 'ManageChannels', 'ViewAuditLog'],
    input: z.strictObject({
      slowmode_seconds: z
        .int()
        .min(0)
        .max(LONGEST_SLOWMODE_SECONDS)
        .describe('Seconds between two messages of one member'),
      duration_minutes: Minutes.optional().describe(
        'After how many minutes the slowmode before comes back; absent: never',
      ),
      channel_id: Snowflake,
      reason: Reason.optional(),
    }),
    output: z.object({ slowmode: Slowmode }),
    example: {
      input: { channel_id: EXAMPLE_IDS.channel, slowmode_seconds: 30, duration_minutes: 60, reason: 'Raid' },
      output: {
        slowmode: {
          channel_id: EXAMPLE_IDS.channel,
          seconds: 30,
          expires_at: LOCK.expires_at,
        },
      },
    },
    notFound: 'channel',
    target: ({ channel_id }) => ({ type: 'channel', id: channel_id }),
  }),
  'channels.lock': operation({
    summary: 'Lock a channel: @everyone cannot write there, until it is unlocked or its time is over',
    http: { method: 'POST', path: '/locks', success: 201 },
    tool: { name: 'lock_channel' },
    chat: { command: 'lock', shownTo: 'ManageChannels' },
    tier: 'reversible_write',
    ...OF_LOCKS,
    input: z.strictObject({
      duration_minutes: lockedFor,
      channel_id: Snowflake,
      reason: Reason.optional(),
    }),
    output: z.object({ lock: Lock }),
    example: {
      input: { channel_id: EXAMPLE_IDS.channel, duration_minutes: 60, reason: 'Raid' },
      output: { lock: LOCK },
    },
    notFound: 'channel',
    target: ({ channel_id }) => ({ type: 'channel', id: channel_id }),
  }),
  'channels.unlock': operation({
    summary: 'Unlock a channel: what stood before it was locked stands again',
    http: { method: 'DELETE', path: '/locks/{channelId}', success: 200 },
    tool: { name: 'unlock_channel' },
    chat: { command: 'unlock', shownTo: 'ManageChannels' },
    dashboard: { on: 'own_page' },
    tier: 'reversible_write',
    ...OF_LOCKS,
    input: z.strictObject({ channelId: Snowflake, reason: Reason.optional() }),
    output: Unlocked,
    example: {
      input: { channelId: EXAMPLE_IDS.channel, reason: 'The raid is over' },
      output: { unlocked: { channel_id: EXAMPLE_IDS.channel } },
    },
    notFound: 'lock',
    target: ({ channelId }) => ({ type: 'channel', id: channelId }),
  }),
  'channels.lockdown': operation({
    summary: 'Lock the guild: the role @everyone loses the permission to write, until the lockdown ends',
    http: { method: 'POST', path: '/lockdown', success: 201 },
    tool: { name: 'lock_guild' },
    chat: { command: 'lockdown start', shownTo: 'ManageChannels' },
    tier: 'destructive_write',
    ...OF_LOCKS,
    input: z.strictObject({ duration_minutes: lockedFor, reason: Reason.optional() }),
    output: z.object({ lock: Lock, still_open: StillOpen }),
    example: {
      input: { duration_minutes: 60, reason: 'Raid' },
      output: {
        lock: { ...LOCK, channel_id: null },
        still_open: { role_ids: [EXAMPLE_IDS.role], channel_ids: [EXAMPLE_IDS.channel] },
      },
    },
    notFound: null,
    sentinel: {
      template: 'LOCK GUILD {guildId} {PERMANENT or DURATION N}',
      choice: ({ duration_minutes }) =>
        duration_minutes === undefined ? 'PERMANENT' : `DURATION ${duration_minutes}`,
    },
    sentence: ({ duration_minutes, reason }, say) => ({
      permanent: yesOrNo(duration_minutes === undefined),
      length: say.length(duration_minutes ?? 0, 'minute'),
      reasoned: yesOrNo(reason !== undefined),
      reason: say.quote(reason),
    }),
    target: () => null,
  }),
  'channels.reopen': operation({
    summary: 'End the lockdown of the guild: the role @everyone may write again as before',
    http: { method: 'DELETE', path: '/lockdown', success: 200 },
    tool: { name: 'unlock_guild' },
    chat: { command: 'lockdown end', shownTo: 'ManageChannels' },
    dashboard: { on: 'own_page' },
    tier: 'reversible_write',
    ...OF_LOCKS,
    input: z.strictObject({ reason: Reason.optional() }),
    output: Unlocked,
    example: {
      input: { reason: 'The raid is over' },
      output: { unlocked: { channel_id: null } },
    },
    notFound: 'lockdown',
    target: () => null,
  }),
  'channels.locks': operation({
    summary: 'List what Bailiff has locked, newest first',
    http: { method: 'GET', path: '/locks', success: 200 },
    tool: { name: 'list_locks' },
    chat: { command: 'locks', shownTo: 'ManageChannels' },
    capability: 'channels.write',
    ...list(Lock, { filters: {}, asked: {}, found: [LOCK] }),
  }),
  'channels.slowmodes': operation({
    summary: 'List the slowmodes that end by themselves, newest first',
    http: { method: 'GET', path: '/slowmodes', success: 200 },
    tool: { name: 'list_slowmodes' },
    chat: { command: 'slowmodes', shownTo: 'ManageChannels' },
    capability: 'channels.write',
    ...list(PassingSlowmode, {
      filters: {},
      asked: {},
      found: [
        {
          channel_id: EXAMPLE_IDS.channel,
          seconds: 30,
          expires_at: LOCK.expires_at,
          seconds_before: 0,
          set_by: EXAMPLE_IDS.issuer,
          set_at: ISSUED_AT,
          reason: 'Raid',
        },
      ],
    }),
  }),
};
