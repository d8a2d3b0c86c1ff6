import { ApiError, callOf, issuesOf, parseInput, text } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { MOST_EVIDENCE_BYTES, MOST_EVIDENCE_MEGABYTES } from '@bailiff/engine/cases/evidence';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { uploadInTurn, uploadOfPersonInTurn } from '@bailiff/engine/database/in-turn';
import { translator } from '@bailiff/messages/dashboard';
import type { Database } from '@bailiff/prisma';
import { readBody, unreadable } from '#src/http/body.ts';
import { localeOfRequest } from '#src/locale-of-request.ts';
import { createRequestWindow } from '#src/request-window.ts';
import { beginInTurn } from './begin-in-turn.ts';
import { invalid } from './input.ts';
import { memberedGuild } from './membered-guild.ts';
import { type DashboardContext, type DashboardRequest, json } from './route.ts';

const OPERATION = 'cases.attach';
const PER_PERSON = { requests: 60, windowSeconds: 60 };
/** How long an upload waits for others of its person, and then for those of its guild. The server waits for a whole request for 20 seconds. */
const LONGEST_WAIT_MS = 5_000;

const FileName = text(255);

const windows = perOwner((pool: Database['pool']) => createRequestWindow(pool, 'upload', PER_PERSON));

/**
 * Attaches the body to a case, as the file that the query calls `name`. Nothing of the body is read before it is known
 * that the person may attach it and that it says it is not too large; and no more of it than may be kept.
 */
export async function uploadEvidence(
  { db, engine }: DashboardContext,
  request: DashboardRequest,
): Promise<Response> {
  const guild = await memberedGuild(db, request);
  const parsed = parseInput(OPERATION, { case_id: request.params.caseId ?? '' });
  if (!parsed.success) throw invalid(422, issuesOf(parsed.error));
  const { userId, sessionProof, requestId, address } = request.call;
  const authorized = {
    operation: OPERATION,
    guildId: guild.id,
    userId,
    caseId: parsed.data.case_id,
  } as const;
  await authorizePerson(engine, authorized);
  const name = FileName.safeParse(request.query.get('name') ?? '');
  if (!name.success) throw invalid(422, [{ path: 'name', message: 'must be the name of the file' }]);
  await windows(db.pool).count(userId, 'session', 'files within a minute');
  const end = await turnOf(db, userId, guild.id);
  try {
    const { body } = await performForPerson(engine, {
      ...callOf(OPERATION, parsed.data),
      guildId: guild.id,
      actor: { source: 'dashboard', userId, sessionProof },
      requestId,
      address,
      uploaded: { name: name.data, content: await contentOf(request.request, name.data) },
    });
    return json(201, body);
  } finally {
    end();
  }
}

/**
 * Waits for the person's turn and then for the guild's. Returns what ends both.
 *
 * @throws ApiError RATE_LIMITED if others take too long
 */
async function turnOf(db: Database, userId: string, guildId: string): Promise<() => void> {
  const endOfPerson = await beginInTurn(uploadOfPersonInTurn, db, userId, {
    waitMs: LONGEST_WAIT_MS,
    others: 'Other files of yours are being sent. Try again.',
  });
  try {
    const endOfGuild = await beginInTurn(uploadInTurn, db, guildId, {
      waitMs: LONGEST_WAIT_MS,
      others: 'Other files of this server are being sent. Try again.',
    });
    return () => {
      endOfGuild();
      endOfPerson();
    };
  } catch (error) {
    endOfPerson();
    throw error;
  }
}

/**
 * The file that a request holds.
 *
 * @throws ApiError 413 or 400, in the language of the page, if it is too large or empty; 400 if it breaks off
 */
async function contentOf(request: Request, name: string): Promise<Buffer> {
  const say = translator(localeOfRequest(request.headers), 'cases');
  const bytes = await readBody(request, MOST_EVIDENCE_BYTES).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 413) throw error;
    throw unreadable(413, say('attach.tooLarge', { name, megabytes: String(MOST_EVIDENCE_MEGABYTES) }));
  });
  if (bytes.length === 0) throw unreadable(400, say('attach.empty', { name }));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
