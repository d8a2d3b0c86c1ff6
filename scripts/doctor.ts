// `npm run doctor [-- <guild id> …]`: what is wrong with this installation and its application at Discord.
import { doctor } from '@bailiff/supervisor/doctor';
import { EX_USAGE, fail, say } from './operator.ts';

const guildIds = process.argv.slice(2);
if (guildIds.every((id) => /^\d{17,20}$/.test(id))) {
  process.exitCode = await doctor(guildIds, say);
} else {
  fail('Usage: npm run doctor [-- <guild id> …]', EX_USAGE);
}
