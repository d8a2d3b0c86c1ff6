import { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Database } from '@bailiff/prisma';
import { sessionOf } from '#src/session.ts';
import type { DashboardContext, DashboardRequest } from './route.ts';

/** How long a piece of an export waits to be read. Its making takes as long as it takes: a large guild's, hours. */
const LONGEST_UNREAD_MS = 30 * 60_000;
/** How many exports of one guild run at a time in this process. */
const MOST_OF_GUILD = 2;

/** The users whose export runs in this process, with its guild; each may run one at a time. */
const running = perOwner((_pool: Database['pool']) => new Map<string, { readonly guildId: string }>());

/**
 * Refuses an export already when it is asked for: of one that is refused when it is fetched, only the browser hears.
 *
 * @throws ApiError RATE_LIMITED while another one of this person runs, or two of the guild
 */
export function requireTurn(db: Database, userId: string, guildId: string): void {
  const ofPeople = running(db.pool);
  const ofGuild = [...ofPeople.values()].filter((each) => each.guildId === guildId).length;
  if (ofPeople.has(userId) || ofGuild >= MOST_OF_GUILD) {
    const what = ofPeople.has(userId) ? 'An export of yours is' : 'Other exports of this server are';
    const details = { scope: 'session' as const, retry_after_seconds: 5 };
    throw new ApiError('RATE_LIMITED', `${what} still running. Wait for the end.`, { details });
  }
}

/**
 * Marks that an export of this person runs. Returns what ends it.
 *
 * @throws ApiError as {@link requireTurn}
 */
export function beginOnly(db: Database, userId: string, guildId: string): () => void {
  requireTurn(db, userId, guildId);
  const ofPeople = running(db.pool);
  const own = { guildId };
  ofPeople.set(userId, own);
  return () => {
    // One that was given up ends again when its last part is made, and another may have begun by then.
    if (ofPeople.get(userId) === own) ofPeople.delete(userId);
  };
}

/** A file to download. */
interface File {
  readonly name: string;
  readonly type: string;
  /** Throws once the reader may not have the rest of it: what was ended or taken from them ends a download as well. */
  readonly mayGoOn: () => Promise<unknown>;
}

/**
 * For whom a download was begun, as long as they are signed in.
 *
 * @throws ApiError UNAUTHORIZED
 */
export async function stillSignedIn(context: DashboardContext, { request }: DashboardRequest): Promise<void> {
  if ((await sessionOf(context, request.headers)) !== null) return;
  const details = { reason: 'SESSION_REQUIRED' as const };
  throw new ApiError('UNAUTHORIZED', 'Your session has ended.', { details });
}

/** A download of a text. It is read no faster than the client takes it, and ends with the client. */
export function download(
  texts: AsyncGenerator<string>,
  { name, type, mayGoOn }: File,
  onEnd: () => void,
): Response {
  return new Response(streamed(texts, mayGoOn, onEnd), {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    },
  });
}

function streamed(
  texts: AsyncGenerator<string>,
  mayGoOn: File['mayGoOn'],
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let deadline: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(deadline);
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(deadline);
        try {
          const { done, value } = await texts.next();
          if (done !== true) {
            await mayGoOn();
            controller.enqueue(encoder.encode(value));
            deadline = setTimeout(() => {
              end();
              controller.error(new Error('The export was not read in time.'));
            }, LONGEST_UNREAD_MS);
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
        await texts.return(undefined);
      },
    },
    { highWaterMark: 1 },
  );
}
