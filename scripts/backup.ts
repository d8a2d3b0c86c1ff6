// `npm run backup [-- <file>]`: writes all data into a file, while Bailiff runs or not.
import { backUp } from '@bailiff/supervisor/backup';
import { StopRequests } from '../apps/supervisor/src/stop-requests.ts';
import { EX_USAGE, fail, orFail } from './operator.ts';

const [file, ...others] = process.argv.slice(2);
if (others.length > 0 || file?.startsWith('-') === true) fail('Usage: npm run backup [-- <file>]', EX_USAGE);
else {
  const { signal } = new StopRequests(() => process.exit(1));
  await orFail('Nothing was backed up', () =>
    backUp(file, (line) => process.stdout.write(`${line}\n`), signal),
  );
}
