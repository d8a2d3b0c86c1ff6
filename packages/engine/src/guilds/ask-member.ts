import { type Queryable, sql } from '@bailiff/prisma';
import type { ActionNotice, MemberNotice, Notice } from '#src/database/waiters.ts';
import type { Engine } from '#src/engine.ts';

/** What Discord says of a person in a guild; null if they are not a member. */
export type HeardMember = MemberNotice['member'];

/** How long somebody waits for what the bot hears. */
const ANSWER_MS = 2_000;

const askMemberOf = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: 'SELECT ask_member($1, $2, $3)',
});

/** The key under which the asker of a request waits. A request may wait for its action too. */
const waitsFor = (requestId: string) => `member:${requestId}`;

/** What Discord says of a person, asked by the bot. Undefined if no answer came in time: then nobody knows. */
export async function askMember(
  engine: Asking,
  about: { readonly guildId: string; readonly userId: string; readonly requestId: string },
): Promise<HeardMember | undefined> {
  const key = waitsFor(about.requestId);
  const notice = await heardUnder(engine, key, () =>
    askMemberOf.run(engine.db.pool, [about.guildId, about.userId, key]),
  );
  return notice?.kind === 'member' ? notice.member : undefined;
}

/** What a process needs to have the bot ask Discord. */
export type Asking = Pick<Engine, 'db' | 'waiters'>;

/** What is announced under a key after `ask`; null if nothing was in time. */
export async function heardUnder(
  { waiters }: Asking,
  key: string,
  ask: () => Promise<unknown>,
  waitMs = ANSWER_MS,
): Promise<Notice | null> {
  const waiter = waiters.expect(key);
  try {
    await ask();
    await waiter.within(waitMs);
    return waiter.heard();
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
  await tellWaiting(db, { kind: 'member', request_id: requestId, member });
}

/** Announces what the bot has heard. */
export async function tellWaiting(db: Queryable, notice: Exclude<Notice, ActionNotice>): Promise<void> {
  await notify.run(db, [JSON.stringify(notice)]);
}
