import type { Transaction } from '@bailiff/engine/database/transaction';
import { type Queryable, sql } from '@bailiff/prisma';
import type { ArchivedMessage } from './archived-message.ts';

const putPage = sql.command({
  parameters: [sql.text, sql.int, sql.jsonb<readonly ArchivedMessage[]>()],
  text: `INSERT INTO action_pages (action_id, page, messages) VALUES ($1, $2, $3)
    ON CONFLICT (action_id, page) DO UPDATE SET messages = $3`,
});

/** Keeps messages that an action has read, newest first. The same page may be written again. Lower pages are newer. */
export async function keepPage(
  db: Queryable,
  actionId: string,
  page: number,
  messages: readonly ArchivedMessage[],
): Promise<void> {
  await putPage.run(db, [actionId, page, messages]);
}

const allPages = sql.statement({
  parameters: [sql.text],
  columns: { messages: sql.jsonb<ArchivedMessage[]>() },
  text: 'SELECT messages FROM action_pages WHERE action_id = $1 ORDER BY page',
});

/** All messages that an action has kept, newest first. */
export async function keptMessages(db: Queryable, actionId: string): Promise<ArchivedMessage[]> {
  const pages = await allPages.all(db, [actionId]);
  return pages.flatMap(({ messages }) => messages);
}

const deletePages = sql.command({
  parameters: [sql.text],
  text: 'DELETE FROM action_pages WHERE action_id = $1',
});

/** Forgets what an action has kept, once it has its place. */
export async function dropPages(db: Queryable | Transaction, actionId: string): Promise<void> {
  await deletePages.run(db, [actionId]);
}
