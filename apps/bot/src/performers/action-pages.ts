import type { Transaction } from '@bailiff/engine/database/transaction';
import { type Queryable, sql } from '@bailiff/prisma';

const putPage = sql.command({
  parameters: [sql.text, sql.int, sql.jsonb<readonly object[]>()],
  text: `INSERT INTO action_pages (action_id, page, messages) VALUES ($1, $2, $3)
    ON CONFLICT (action_id, page) DO UPDATE SET messages = $3`,
});

/**
 * Keeps what an action has read: messages, newest first, or people. The same page may be written again. Lower pages are
 * those of newer messages, or of people with lower ids.
 */
export async function keepPage(
  db: Queryable,
  actionId: string,
  page: number,
  items: readonly object[],
): Promise<void> {
  await putPage.run(db, [actionId, page, items]);
}

const allPages = sql.statement({
  parameters: [sql.text],
  columns: { messages: sql.jsonb<object[]>() },
  text: 'SELECT messages FROM action_pages WHERE action_id = $1 ORDER BY page FOR UPDATE',
});

/**
 * All that an action has kept, in the order of its pages. It knows itself what that is. Whoever stores it elsewhere does so
 * in the same transaction: somebody who is being forgotten is waited for, and the other way round.
 */
export async function keptPages<Item extends object>(db: Queryable, actionId: string): Promise<Item[]> {
  const pages = await allPages.all(db, [actionId]);
  return pages.flatMap(({ messages }) => messages as Item[]);
}

const deletePages = sql.command({
  parameters: [sql.text],
  text: 'DELETE FROM action_pages WHERE action_id = $1',
});

/** Forgets what an action has kept, in the transaction that records how the action ended. */
export async function dropPages(tx: Transaction, actionId: string): Promise<void> {
  await deletePages.run(tx, [actionId]);
}
