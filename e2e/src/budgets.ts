import { openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';

/**
 * Fills the budgets of an instance and forgets sign-ins, pages, new tokens and looks into tickets, as two hours without a
 * call would: a person may make six destructive calls, and one more each minute, and twenty tokens in an hour, and look
 * sixty times a minute, and an address may sign in twenty times in ten minutes and open 1,200 pages in one. All tests
 * together do more.
 */
export async function refillBudgets(directory: string): Promise<void> {
  const db = openDatabase(await databaseUrl(directory), { applicationName: 'test' });
  await db.pool.query('DELETE FROM budgets');
  await db.pool.query(
    "DELETE FROM rate_limits WHERE key LIKE ANY ('{auth-callback:%,mint:%,pages:%,conversations:%}')",
  );
  await db.close();
}
