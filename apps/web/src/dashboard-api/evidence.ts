import { ApiError, dropUnseen } from '@bailiff/core';
import { type EvidencePart, readEvidencePart } from '@bailiff/engine/cases/evidence';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { downloadInTurn } from '@bailiff/engine/database/in-turn';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from '#src/request-window.ts';
import { beginInTurn } from './begin-in-turn.ts';
import { uploadEvidence } from './evidence-upload.ts';
import { memberedGuild } from './membered-guild.ts';
import type { DashboardContext, DashboardRequest, Route } from './route.ts';

/** A file may have megabytes, so a person gets fewer of them than of other things. */
const PER_PERSON = { requests: 60, windowSeconds: 60 };
/** How long a download waits for others of its guild. */
const LONGEST_WAIT_MS = 10_000;
/** The time limit of a download; only a reader that hardly reads takes longer for the largest file. */
const LONGEST_DOWNLOAD_MS = 5 * 60_000;

const windows = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'evidence', PER_PERSON));

export const evidenceRoutes: readonly Route[] = [
  { method: 'GET', path: '/api/guilds/{guildId}/evidence/{evidenceId}', handle: fetchEvidence },
  { method: 'POST', path: '/api/guilds/{guildId}/cases/{caseId}/evidence', handle: uploadEvidence },
];

/**
 * A file that was attached to a case, as a download. Strangers chose its content and its name: a browser neither shows it
 * as a page nor guesses what it is. Pictures have their type, so that our page can show them.
 */
async function fetchEvidence({ db }: DashboardContext, request: DashboardRequest): Promise<Response> {
  const guild = await memberedGuild(db, request);
  await windows(db.pool).count(request.session.userId, 'session', 'files within a minute');
  const { proof } = request.session;
  const asked = { proof, guildId: guild.id, evidenceId: request.params.evidenceId ?? '' };
  const partAfter = async (from: number) => {
    const part = await readEvidencePart(db, asked, from);
    if (part !== null) return part;
    throw new ApiError('NOT_FOUND', 'There is no such file, or it is not kept any more.');
  };
  const end = await beginInTurn(downloadInTurn, db, guild.id, {
    waitMs: LONGEST_WAIT_MS,
    others: 'Other files of this server are being downloaded. Try again.',
  });
  try {
    const first = await partAfter(0);
    const isWhole = first.part.length === first.size_bytes;
    if (isWhole) end();
    return new Response(isWhole ? new Uint8Array(first.part) : streamed(first, partAfter, end), {
      headers: {
        'Content-Type': first.media_type ?? 'application/octet-stream',
        'Content-Length': String(first.size_bytes),
        'Content-Disposition': `attachment; filename="evidence"; filename*=UTF-8''${encoded(first.name)}`,
        'Content-Security-Policy': "sandbox; default-src 'none'",
        'Cross-Origin-Resource-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
      },
    });
  } catch (error) {
    end();
    throw error;
  }
}

/** The content, part by part, no faster than the client takes it. Each part is for whoever may read it then. */
function streamed(
  first: EvidencePart,
  partAfter: (from: number) => Promise<EvidencePart>,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  let sent = 0;
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
          controller.error(new ApiError('RATE_LIMITED', 'The file was not read in time.'));
        }, LONGEST_DOWNLOAD_MS);
      },
      async pull(controller) {
        try {
          if (sent < first.size_bytes) {
            const { part } = sent === 0 ? first : await partAfter(sent);
            sent += part.length;
            controller.enqueue(new Uint8Array(part));
          }
          if (sent < first.size_bytes) return;
          end();
          controller.close();
        } catch (error) {
          end();
          throw error; // the download breaks off, so that it does not look complete
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/**
 * A file name in a header (RFC 8187), without characters that nobody sees: with one of them, what ends in `fdp.exe` ends
 * in `exe.pdf` for whoever looks at their folder.
 */
function encoded(name: string): string {
  return encodeURIComponent(dropUnseen(name) || 'evidence').replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
}
