import { type Queryable, sql } from '@bailiff/prisma';
import { perOwner } from '#src/database/coalesce.ts';
import type { FoundMember } from '#src/database/waiters.ts';
import { type Asking, heardUnder, tellWaiting } from './ask-member.ts';

/** How many members Discord is asked for. */
export const MOST_FOUND = 20;
/** PostgreSQL takes less than 8,000 bytes in a notification, and the key may have 500 of them. */
const MOST_BYTES = 7_400;

const askPeopleOf = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: 'SELECT ask_people($1, $2, $3)',
});

const askMembersOf = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: 'SELECT ask_members($1, $2, $3)',
});

/** Questions that wait for their answer, by key. Whoever asks the same meanwhile gets the same answer. */
const waiting = perOwner((_db: Asking['db']) => new Map<string, Promise<readonly FoundMember[] | null>>());

/**
 * The members of a guild whose username or nickname begins with a text, as Discord tells the bot. Null if no answer came
 * in time.
 */
export function askPeople(
  engine: Asking,
  about: { readonly guildId: string; readonly query: string },
): Promise<readonly FoundMember[] | null> {
  // For Discord, upper and lower case are the same.
  const query = about.query.toLowerCase();
  return sharedAnswer(engine, askPeopleOf, about.guildId, query, `people:${about.guildId}:${query}`);
}

/**
 * The members of a guild whose ids follow one, in their order, as Discord tells the bot; after `0` the first ones. Null
 * if no answer came in time.
 */
export function askMembers(
  engine: Asking,
  { guildId, after }: { readonly guildId: string; readonly after: string },
): Promise<readonly FoundMember[] | null> {
  return sharedAnswer(engine, askMembersOf, guildId, after, `members:${guildId}:${after}`);
}

function sharedAnswer(
  engine: Asking,
  question: typeof askPeopleOf,
  guildId: string,
  about: string,
  key: string,
): Promise<readonly FoundMember[] | null> {
  const asked = waiting(engine.db);
  const ask = async () => {
    const notice = await heardUnder(engine, key, () => question.run(engine.db.pool, [guildId, about, key]));
    return notice?.kind === 'people' ? notice.members : null;
  };
  const answer = asked.get(key) ?? ask().finally(() => asked.delete(key));
  asked.set(key, answer);
  return answer;
}

/** Tells whoever waits for this request what Discord found; null if it did not say. */
export async function tellPeople(
  db: Queryable,
  requestId: string,
  members: readonly FoundMember[] | null,
): Promise<void> {
  await tellWaiting(db, { kind: 'people', request_id: requestId, members: members && fitting(members) });
}

/** As many of the members as fit into a notification, without their roles if those take too much room. */
function fitting(members: readonly FoundMember[]): readonly FoundMember[] {
  if (fits(members)) return members;
  const plain = members.map((member) => ({ ...member, role_ids: null }));
  while (!fits(plain)) plain.pop();
  return plain;
}

function fits(members: readonly FoundMember[]): boolean {
  return Buffer.byteLength(JSON.stringify(members)) <= MOST_BYTES;
}
