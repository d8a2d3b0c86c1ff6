import { randomUUID } from 'node:crypto';
import { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Session } from '@bailiff/engine/desk/sessions';
import { type Conversation, readConversation } from '@bailiff/engine/tickets/conversations';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from './request-window.ts';
import type { Runtime } from './runtime.ts';

/** A page looks when something is written, at most every three seconds: three pages at once in tickets that are busy. */
const OF_PERSON = { requests: 60, windowSeconds: 60 };
/** Each look is three requests to Discord, which answers a bot fifty times a second. */
const OF_GUILD = { requests: 120, windowSeconds: 60 };
const WHAT = 'looks at conversations';

const windowsOf = perOwner((pool: Database['pool']) => ({
  person: createRequestWindow(pool, 'conversations', OF_PERSON),
  guild: createRequestWindow(pool, 'conversations of a guild', OF_GUILD),
}));

/**
 * What stands in the channel of a ticket, for the person of a session, as `readConversation`. An error says why nothing
 * was read: then the rest of the page is shown all the same.
 */
export async function conversationFor(
  { db, engine }: Pick<Runtime, 'db' | 'engine'>,
  session: Pick<Session, 'userId' | 'proof'>,
  of: { readonly guildId: string; readonly ticketId: string; readonly before: string | null },
): Promise<Conversation | { readonly error: ApiError } | null> {
  try {
    const { person, guild } = windowsOf(db.pool);
    await person.count(session.userId, 'session', WHAT);
    await guild.count(of.guildId, 'session', WHAT);
    return await readConversation(engine, { ...of, proof: session.proof, requestId: randomUUID() });
  } catch (error) {
    if (error instanceof ApiError) return { error };
    throw error;
  }
}
