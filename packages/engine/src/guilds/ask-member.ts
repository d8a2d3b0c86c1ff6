import { type Queryable, sql } from '@bailiff/prisma';
import type { MemberNotice } from '#src/database/waiters.ts';
import type { Engine } from '#src/engine.ts';

/** What Discord says of a person in a guild; null if they are not a member. */
export type HeardMember = MemberNotice['member'];

/** How long a reader waits for it. */
const ANSWER_MS = 2_000;

const askMemberOf = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: 'SELECT ask_member($1, $2, $3)',
});

/** The key under which the asker of a request waits. A request may wait for its action too. */
const waitsFor = (requestId: string) => `member:${requestId}`;

/** Has the bot ask Discord about a person. Undefined if no answer came in time: then nobody knows. */
export async function askMember(
  { db, waiters }: Pick<Engine, 'db' | 'waiters'>,
  about: { readonly guildId: string; readonly userId: string; readonly requestId: string },
): Promise<HeardMember | undefined> {
  const key = waitsFor(about.requestId);
  const waiter = waiters.expect(key);
  try {
    await askMemberOf.run(db.pool, [about.guildId, about.userId, key]);
    await waiter.within(ANSWER_MS);
    const notice = waiter.heard();
    return notice?.kind === 'member' ? notice.member : undefined;
  } finally {
    waiter.release();
  }
}

const notify = sql.command({
  parameters: [sql.text],
  text: "SELECT pg_notify('bailiff', $1)",
});

/** Tells whoever waits for this request what Discord says. */
export async function tellMember(db: Queryable, requestId: string, member: HeardMember): Promise<void> {
  const notice: MemberNotice = { kind: 'member', request_id: requestId, member };
  await notify.run(db, [JSON.stringify(notice)]);
}
