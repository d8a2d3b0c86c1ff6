import { openDatabase } from '@bailiff/prisma';
import { databaseUrl } from '@bailiff/supervisor/database-url';

/**
 * Fills the budgets of an instance, as two hours without a call would: a person may make six destructive calls, and one
 * more each minute, and all tests together make more.
 */
export async function refillBudgets(directory: string): Promise<void> {
  const db = openDatabase(await databaseUrl(directory), { applicationName: 'test' });
  await db.pool.query('DELETE FROM budgets');
  await db.close();
}
