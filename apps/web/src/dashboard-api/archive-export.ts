import { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { ownedGuild } from '@bailiff/engine/guilds/guilds';
import { archiveOf } from '@bailiff/engine/imports/archive';
import { findArchiveExport, recordArchiveExport, turnOfExport } from '@bailiff/engine/imports/archive-export';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from '#src/request-window.ts';
import { beginOnly, download, requireTurn, stillSignedIn } from './downloads.ts';
import {
  type DashboardContext,
  type DashboardRequest,
  json,
  type Route,
  requireFreshSignIn,
} from './route.ts';

const ARCHIVE = '/api/guilds/{guildId}/archive';

/** An archive is all that a guild has, and reading it takes a while. */
const PER_PERSON = { requests: 6, windowSeconds: 3600 };

const windows = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'archive', PER_PERSON));

/** An archive takes two requests, as an export of the audit log does. Both are the owner's alone. */
export const archiveExportRoutes: readonly Route[] = [
  { method: 'POST', path: ARCHIVE, handle: beginArchive },
  { method: 'GET', path: `${ARCHIVE}/{exportId}`, handle: fetchArchive },
];

async function beginArchive({ db }: DashboardContext, request: DashboardRequest): Promise<Response> {
  const { guildId = '' } = request.params;
  await ownedGuild(db, guildId, request.session.userId, { needsMirror: true });
  requireFreshSignIn(request);
  requireTurn(db, request.session.userId, guildId);
  await windows(db.pool).count(request.session.userId, 'session', 'archives within an hour');
  const exportId = await recordArchiveExport(db, request.call, guildId);
  return json(201, { export_id: exportId, href: `/api/guilds/${guildId}/archive/${exportId}` });
}

async function fetchArchive(context: DashboardContext, request: DashboardRequest): Promise<Response> {
  const { db } = context;
  const { guildId = '', exportId = '' } = request.params;
  const { userId } = request.session;
  await ownedGuild(db, guildId, userId, { needsMirror: true });
  requireFreshSignIn(request);
  const at = await findArchiveExport(db, userId, guildId, exportId);
  if (at === null) {
    throw new ApiError(
      'NOT_FOUND',
      'There is no such archive, or it was asked for too long ago. Export again.',
    );
  }
  const end = beginOnly(db, userId, guildId);
  const name = `bailiff-${guildId}-${at.toISOString().slice(0, 10)}.jsonl`;
  const mayGoOn = async () => {
    await stillSignedIn(context, request);
    await ownedGuild(db, guildId, userId, { needsMirror: false });
  };
  return download(textOf(db, guildId, at), { name, type: 'application/x-ndjson', mayGoOn }, end);
}

async function* textOf(db: Database, guildId: string, at: Date): AsyncGenerator<string> {
  for await (const lines of archiveOf(db, guildId, at, turnOfExport(db, guildId))) {
    yield lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }
}
