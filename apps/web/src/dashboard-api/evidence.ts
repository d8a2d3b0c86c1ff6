import { ApiError } from '@bailiff/core';
import { readEvidence } from '@bailiff/engine/cases/evidence';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from '#src/request-window.ts';
import { memberedGuild } from './membered-guild.ts';
import type { DashboardContext, DashboardRequest, Route } from './route.ts';

/** A file may have megabytes, so a person gets fewer of them than of other things. */
const PER_PERSON = { requests: 60, windowSeconds: 60 };
const windows = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'evidence', PER_PERSON));

export const evidenceRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/guilds/{guildId}/evidence/{evidenceId}', handle: fetchEvidence },
];

/**
 * A file that was attached to a case, as a download. Strangers chose its content and its name: a browser neither shows it
 * as a page nor guesses what it is. Pictures have their type, so that our page can show them.
 */
async function fetchEvidence({ db }: DashboardContext, request: DashboardRequest): Promise<Response> {
  const guild = await memberedGuild(db, request);
  await windows(db.pool).count(request.session.userId, 'session', 'files within a minute');
  const { proof } = request.session;
  const file = await readEvidence(db, proof, guild.id, request.params.evidenceId ?? '');
  if (file === null) throw new ApiError('NOT_FOUND', 'There is no such file, or it is not kept any more.');
  return new Response(new Uint8Array(file.content), {
    headers: {
      'Content-Type': file.media_type ?? 'application/octet-stream',
      'Content-Disposition': `attachment; filename="evidence"; filename*=UTF-8''${encoded(file.name)}`,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

/** A file name in a header (RFC 8187). */
function encoded(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
