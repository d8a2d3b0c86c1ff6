import {
  canBeDestructive,
  entryOf,
  expectedSentinel,
  type InputOf,
  type OperationName,
  pathParams,
  REST_OPERATION_NAMES,
  type RestOperation,
} from '@bailiff/core';
import { openCase } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import type { SeededGuild } from '@bailiff/engine/testing';
import type { Database } from '@bailiff/prisma';
import { seedAppeal, seedReport } from './read-calls.ts';

/** A call that needs a window and a sentinel, with the sentinel written out from the specification (§4). */
export interface DestructiveCall {
  readonly operation: OperationName;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body: object;
  readonly format: string;
  readonly concrete: string;
}

const SERVER = `srv_${'0'.repeat(32)}`;
const CHANNEL = '300000000000000001';

/** Cases that calls remove, an appeal against another one that they refuse, and a report that they close. */
export interface Removable {
  readonly strikeId: string;
  readonly warningId: string;
  readonly appealId: string;
  readonly reportId: string;
}

/** Opens a strike and a warning of the guild's member, who appeals another warning and reports somebody. */
export async function openRemovable(db: Database, guild: SeededGuild): Promise<Removable> {
  const common = {
    ...{ guildId: guild.id, userId: guild.memberId, issuedBy: guild.ownerId },
    ...{ reason: 'spam', actionId: null },
  };
  const { appealed, ...opened } = await inTransaction(db, async (tx) => ({
    strikeId: (await openCase(tx, { ...common, kind: 'strike', severity: 'minor' })).id,
    warningId: (await openCase(tx, { ...common, kind: 'warning' })).id,
    appealed: (await openCase(tx, { ...common, kind: 'warning' })).id,
  }));
  return {
    ...opened,
    appealId: await seedAppeal(db, guild, appealed),
    reportId: await seedReport(db, guild),
  };
}

const NOTHING: Removable = {
  strikeId: `str_${'0'.repeat(32)}`,
  warningId: `wrn_${'0'.repeat(32)}`,
  appealId: `apl_${'0'.repeat(32)}`,
  reportId: `rpt_${'0'.repeat(32)}`,
};

/** One call of each destructive operation; the ban is permanent. What is not given to be removed is not there. */
export function destructiveCalls(
  guild: SeededGuild,
  { strikeId, warningId, appealId, reportId }: Removable = NOTHING,
): DestructiveCall[] {
  const [user, reason] = [guild.memberId, 'spam'];
  const inGuild = `IN GUILD ${guild.id}`;
  const written: DestructiveCall[] = [
    {
      operation: 'strikes.add',
      method: 'POST',
      path: '/strikes',
      body: { user_id: user, reason, severity: 'minor' },
      format: 'ADD STRIKE TO USER {user_id} IN GUILD {guildId} SEVERITY {MINOR or MAJOR}',
      concrete: `ADD STRIKE TO USER ${user} ${inGuild} SEVERITY MINOR`,
    },
    {
      operation: 'strikes.change',
      method: 'PATCH',
      path: `/strikes/${strikeId}`,
      body: { severity: 'major' },
      format: 'CHANGE STRIKE {strikeId} IN GUILD {guildId} TO SEVERITY {MINOR or MAJOR}',
      concrete: `CHANGE STRIKE ${strikeId.toUpperCase()} ${inGuild} TO SEVERITY MAJOR`,
    },
    {
      operation: 'strikes.remove',
      method: 'DELETE',
      path: `/strikes/${strikeId}`,
      body: {},
      format: 'REMOVE STRIKE {strikeId} IN GUILD {guildId}',
      concrete: `REMOVE STRIKE ${strikeId.toUpperCase()} ${inGuild}`,
    },
    {
      operation: 'warnings.remove',
      method: 'DELETE',
      path: `/warnings/${warningId}`,
      body: {},
      format: 'REMOVE WARNING {warningId} IN GUILD {guildId}',
      concrete: `REMOVE WARNING ${warningId.toUpperCase()} ${inGuild}`,
    },
    {
      operation: 'bans.add',
      method: 'POST',
      path: '/bans',
      body: { user_id: user, reason },
      format: 'BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
      concrete: `BAN USER ${user} ${inGuild} PERMANENT`,
    },
    {
      operation: 'bans.lift',
      method: 'DELETE',
      path: `/bans/${user}`,
      body: {},
      format: 'UNBAN USER {userId} IN GUILD {guildId}',
      concrete: `UNBAN USER ${user} ${inGuild}`,
    },
    {
      operation: 'mutes.add',
      method: 'POST',
      path: '/mutes',
      body: { user_id: user, reason, duration_minutes: 1441 },
      format: 'MUTE USER {user_id} IN GUILD {guildId} DURATION {N}',
      concrete: `MUTE USER ${user} ${inGuild} DURATION 1441`,
    },
    {
      operation: 'mutes.lift',
      method: 'DELETE',
      path: `/mutes/${user}`,
      body: {},
      format: 'LIFT MUTE FROM USER {userId} IN GUILD {guildId}',
      concrete: `LIFT MUTE FROM USER ${user} ${inGuild}`,
    },
    {
      operation: 'appeals.refuse',
      method: 'POST',
      path: `/appeals/${appealId}/refuse`,
      body: {},
      format: 'REFUSE APPEAL {appealId} IN GUILD {guildId}',
      concrete: `REFUSE APPEAL ${appealId.toUpperCase()} ${inGuild}`,
    },
    {
      operation: 'reports.close',
      method: 'POST',
      path: `/reports/${reportId}/close`,
      body: {},
      format: 'CLOSE REPORT {reportId} IN GUILD {guildId}',
      concrete: `CLOSE REPORT ${reportId.toUpperCase()} ${inGuild}`,
    },
    {
      operation: 'messages.purge',
      method: 'POST',
      path: '/mass-purge',
      body: { channel_id: CHANNEL, count: 25 },
      format: 'PURGE {count} MESSAGES IN CHANNEL {channel_id} IN GUILD {guildId}',
      concrete: `PURGE 25 MESSAGES IN CHANNEL ${CHANNEL} ${inGuild}`,
    },
    {
      operation: 'servers.rcon',
      method: 'POST',
      path: `/servers/${SERVER}/rcon/run`,
      body: { command: 'list' },
      format: 'RUN RCON ON SERVER {serverId} IN GUILD {guildId}',
      concrete: `RUN RCON ON SERVER ${SERVER.toUpperCase()} ${inGuild}`,
    },
  ];
  const others = REST_OPERATION_NAMES.filter(
    (name) => canBeDestructive(name) && !written.some(({ operation }) => operation === name),
  );
  return [...written, ...others.map((name) => exampleCall(name, guild))];
}

function exampleCall(operation: RestOperation, guild: SeededGuild): DestructiveCall {
  const { http, example } = entryOf(operation);
  if (http.method === 'GET') throw new Error(`${operation} only reads.`);
  const input = Object.fromEntries(
    Object.entries(example.input).map(([field, value]) => [
      field,
      field === 'user_id' || field === 'userId' ? guild.memberId : value,
    ]),
  );
  const inPath = pathParams(operation);
  const body = Object.fromEntries(Object.entries(input).filter(([field]) => !inPath.includes(field)));
  return {
    operation,
    method: http.method,
    path: http.path.replace(/\{(\w+)\}/g, (_match, field: string) => String(input[field])),
    body,
    ...expectedSentinel(operation, guild.id, input as InputOf<RestOperation>),
  };
}
