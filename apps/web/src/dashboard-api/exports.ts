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
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { translator } from '@bailiff/messages/dashboard';
import type { Database } from '@bailiff/prisma';
import { z } from 'zod';
import { CSV_HEAD, csvLine, jsonLine } from '#src/audit-csv.ts';
import { AUDIT_PARAMETERS, type AuditParameters, readAuditParameters } from '#src/audit-query.ts';
import { asSeenBy } from '#src/audit-row.ts';
import { searchFilter } from '#src/audit-search.ts';
import { localeOfRequest } from '#src/locale-of-request.ts';
import { createRequestWindow } from '#src/request-window.ts';
import { bodyOf } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

const EXPORTS = '/api/guilds/{guildId}/exports';

const PER_PERSON = { requests: 20, windowSeconds: 3600 };
/** The time limit of an export; only a reader that does not read takes longer. */
const LONGEST_EXPORT_MS = 30 * 60_000;
/** How many exports of one guild run at a time in this process. */
const MOST_OF_GUILD = 2;

const windows = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'export', PER_PERSON));
/** The users whose export runs in this process, with its guild; each may run one at a time. */
const running = perOwner((_pool: Database['pool']) => new Map<string, string>());

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

/**
 * Marks that an export of this person runs. Returns what ends it.
 *
 * @throws ApiError RATE_LIMITED while another one of theirs runs, or two of the guild
 */
function beginOnly(db: Database, userId: string, guildId: string): () => void {
  const ofPeople = running(db.pool);
  const ofGuild = [...ofPeople.values()].filter((each) => each === guildId).length;
  if (ofPeople.has(userId) || ofGuild >= MOST_OF_GUILD) {
    const what = ofPeople.has(userId) ? 'An export of yours is' : 'Other exports of this server are';
    const details = { scope: 'session' as const, retry_after_seconds: 5 };
    throw new ApiError('RATE_LIMITED', `${what} still running. Wait for the end.`, { details });
  }
  ofPeople.set(userId, guildId);
  return () => ofPeople.delete(userId);
}

async function answerExport(
  { db }: DashboardContext,
  request: DashboardRequest,
  guild: GuildView,
  found: AuditExport,
  onEnd: () => void,
): Promise<Response> {
  const locale = localeOfRequest(request.request.headers);
  const texts = { operations: translator(locale, 'operations'), events: translator(locale, 'events') };
  const filter = await searchFilter(db, guild.id, found.filters as AuditParameters, texts);
  const batches = allAuditEntries(db, guild.id, {
    reads: found.filters.reads === 'shown',
    filter,
    before: found.id,
  });
  const body = streamed(batches, found, guild, onEnd);
  const name = `audit-${guild.id}-${found.id.slice(-8)}.${found.format}`;
  return new Response(body, {
    headers: {
      'Content-Type':
        found.format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
    },
  });
}

/** A stream of the rows. It reads them no faster than the client takes them, and ends with the client. */
function streamed(
  batches: AsyncGenerator<readonly AuditEntry[]>,
  { format }: AuditExport,
  viewer: { readonly isOwner: boolean },
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const [head, line] = format === 'csv' ? [CSV_HEAD, csvLine] : ['', jsonLine];
  let deadline: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(deadline);
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        deadline = setTimeout(() => {
          end();
          controller.error(new Error('The export was not read in time.'));
        }, LONGEST_EXPORT_MS);
        if (head !== '') controller.enqueue(encoder.encode(head));
      },
      async pull(controller) {
        try {
          const { done, value } = await batches.next();
          if (done !== true) {
            const lines = value.map((entry) => line(asSeenBy(viewer, entry)));
            controller.enqueue(encoder.encode(lines.join('')));
            return;
          }
          end();
          controller.close();
        } catch (error) {
          end();
          throw error; // the download breaks off, so that it does not look complete
        }
      },
      async cancel() {
        end();
        await batches.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
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
