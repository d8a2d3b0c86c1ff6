// npm run migrate: brings the database of DATABASE_URL up to date, as its owner, and gives the logins of
// DATABASE_BOT_URL and DATABASE_WEB_URL what their processes need. npm start does the same.
import { ConfigurationError, EX_CONFIG } from '@bailiff/core';
import { migrate } from '@bailiff/prisma';
import { loadEnvironment } from '@bailiff/supervisor/environment-file';
import { loginsOf, readSettings } from '../apps/supervisor/src/settings.ts';

try {
  loadEnvironment();
  const { databaseUrl, processUrls } = readSettings(process.env);
  if (databaseUrl === undefined) {
    const variable = 'DATABASE_URL';
    const message = `${variable} is not set: set it to the owner's address. npm start migrates the embedded database.`;
    throw new ConfigurationError([{ variable, message }]);
  }
  const applied = await migrate(
    databaseUrl,
    processUrls === undefined ? {} : { logins: loginsOf(processUrls) },
  );
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof ConfigurationError ? EX_CONFIG : 1;
}
