// npm run migrate: brings the database of DATABASE_URL up to date, as its owner, and gives the logins of
// DATABASE_BOT_URL and DATABASE_WEB_URL what their processes need. npm start does the same.
import { ConfigurationError, EX_CONFIG } from '@bailiff/core';
import { migrate } from '@bailiff/prisma';
import { explained } from '@bailiff/supervisor/database-url';
import { loadEnvironment } from '@bailiff/supervisor/environment-file';
import { endOnStopRequest } from '../apps/supervisor/src/processes.mjs';
import { loginsOf, readDatabaseSettings } from '../apps/supervisor/src/settings.ts';

// As process 1 of a container it would not hear SIGTERM otherwise, for as long as another one migrates.
endOnStopRequest();
try {
  loadEnvironment();
  const { databaseUrl, processUrls } = readDatabaseSettings(process.env);
  const onWait = (line: string) => void process.stderr.write(`${line}\n`);
  const options = processUrls === undefined ? { onWait } : { onWait, logins: loginsOf(processUrls) };
  const applied = await migrate(databaseUrl, options).catch((error) =>
    Promise.reject(explained(databaseUrl, error)),
  );
  process.stdout.write(
    applied.length === 0 ? 'The database is up to date.\n' : `Applied ${applied.join(', ')}.\n`,
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof ConfigurationError ? EX_CONFIG : 1;
}
