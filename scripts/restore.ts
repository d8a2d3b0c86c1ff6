// `npm run restore -- <file>`: fills an empty database with a backup.
import { restore } from '@bailiff/supervisor/backup';
import { StopRequests } from '../apps/supervisor/src/stop-requests.ts';
import { EX_USAGE, fail, orFail } from './operator.ts';

const [file, ...others] = process.argv.slice(2);
if (file === undefined || others.length > 0 || file.startsWith('-')) {
  fail('Usage: npm run restore -- <file>', EX_USAGE);
} else {
  const { signal } = new StopRequests(() => process.exit(1));
  await orFail('Nothing was restored', () =>
    restore(file, (line) => process.stdout.write(`${line}\n`), signal),
  );
}
