import { ApiError } from '@bailiff/core';
import {
  type AuditExport,
  allAuditEntries,
  EXPORT_FORMATS,
  findExport,
  recordExport,
} from '@bailiff/engine/audit/audit-export';
import type { AuditEntry } from '@bailiff/engine/audit/audit-log';
import { capabilityDenied } from '@bailiff/engine/calls/authorize';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { type GuildView, noSuchGuild } from '@bailiff/engine/guilds/guilds';
import { translator } from '@bailiff/messages/dashboard';
import type { Database } from '@bailiff/prisma';
import { z } from 'zod';
import { CSV_HEAD, csvLine, jsonLine } from '#src/audit-csv.ts';
import { AUDIT_PARAMETERS, type AuditParameters, readAuditParameters } from '#src/audit-query.ts';
import { asSeenBy } from '#src/audit-row.ts';
import { searchFilter } from '#src/audit-search.ts';
import { localeOfRequest } from '#src/locale-of-request.ts';
import { createRequestWindow } from '#src/request-window.ts';
import { beginOnly, download, requireTurn, stillSignedIn } from './downloads.ts';
import { bodyOf } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

const EXPORTS = '/api/guilds/{guildId}/exports';

const PER_PERSON = { requests: 20, windowSeconds: 3600 };
const windows = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'export', PER_PERSON));

/** An export takes two requests: the first is checked, counted and recorded; the second fetches what was recorded. */
export const exportRoutes: readonly Route[] = [
  { method: 'POST', path: EXPORTS, handle: beginExport },
  { method: 'GET', path: `${EXPORTS}/{exportId}`, handle: fetchExport },
];

const BeginExport = z.strictObject({
  format: z.enum(EXPORT_FORMATS),
  filters: z.partialRecord(z.enum(AUDIT_PARAMETERS), z.string()).default({}),
});

async function beginExport(context: DashboardContext, request: DashboardRequest): Promise<Response> {
  const guild = await readableGuild(context.db, request);
  const { format, filters } = await bodyOf(request, BeginExport);
  const { given, wrong } = readAuditParameters((name) => filters[name]);
  if (wrong.length > 0) {
    const issues = wrong.map((name) => ({ path: `filters.${name}`, message: 'cannot be read' }));
    throw new ApiError('VALIDATION_FAILED', `${issues[0]?.path} cannot be read.`, { details: { issues } });
  }
  requireTurn(context.db, request.session.userId, guild.id);
  await windows(context.db.pool).count(request.session.userId, 'session', 'exports within an hour');
  const exportId = await recordExport(context.db, request.call, guild.id, { format, filters: given });
  return json(201, { export_id: exportId, href: `/api/guilds/${guild.id}/exports/${exportId}` });
}

async function fetchExport(context: DashboardContext, request: DashboardRequest): Promise<Response> {
  const { db } = context;
  const { userId } = request.session;
  const guild = await readableGuild(db, request);
  const found = await findExport(db, guild.id, request.params.exportId ?? '', userId);
  if (found === null) {
    throw new ApiError(
      'NOT_FOUND',
      'There is no such export, or it was asked for too long ago. Export again.',
    );
  }
  const end = beginOnly(db, userId, guild.id);
  try {
    return await answerExport(context, request, guild, found, end);
  } catch (error) {
    end();
    throw error;
  }
}

async function answerExport(
  context: DashboardContext,
  request: DashboardRequest,
  guild: GuildView,
  found: AuditExport,
  onEnd: () => void,
): Promise<Response> {
  const { db } = context;
  const locale = localeOfRequest(request.request.headers);
  const texts = { operations: translator(locale, 'operations'), events: translator(locale, 'events') };
  const filter = await searchFilter(db, guild.id, found.filters as AuditParameters, texts);
  const batches = allAuditEntries(db, guild.id, {
    reads: found.filters.reads === 'shown',
    filter,
    before: found.id,
  });
  const name = `audit-${guild.id}-${found.id.slice(-8)}.${found.format}`;
  const type = found.format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const mayGoOn = async () => {
    await stillSignedIn(context, request);
    const { isOwner } = await readableGuild(db, request);
    // Who owned the guild when it began gets the addresses that are the owner's alone.
    if (isOwner !== guild.isOwner) throw noSuchGuild();
  };
  return download(textOf(batches, found, guild), { name, type, mayGoOn }, onEnd);
}

/** The file: its head, and the rows in batches. */
async function* textOf(
  batches: AsyncGenerator<readonly AuditEntry[]>,
  { format }: AuditExport,
  viewer: { readonly isOwner: boolean },
): AsyncGenerator<string> {
  if (format === 'csv') yield CSV_HEAD;
  const line = format === 'csv' ? csvLine : jsonLine;
  for await (const batch of batches) yield batch.map((entry) => line(asSeenBy(viewer, entry))).join('');
}

/**
 * The guild of an export.
 *
 * @throws ApiError NOT_FOUND if the guild is not theirs, CAPABILITY_DENIED.
 */
async function readableGuild(db: Database, request: DashboardRequest) {
  const guild = await memberedGuild(db, request);
  if (!guild.capabilities.includes('audit.read')) {
    throw capabilityDenied('audit.read', 'You may not export the audit log');
  }
  return guild;
}
