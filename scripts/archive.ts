// `npm run archive -- <guild id> <file>`: the operator writes everything that a guild owns to a file.
import { archiveOf } from '@bailiff/engine/imports/archive';
import { recordArchiveByOperator } from '@bailiff/engine/imports/archive-export';
import type { Database } from '@bailiff/prisma';
import { writeInSteps } from '@bailiff/prisma/whole-file';
import { namedFile } from '@bailiff/supervisor/root';
import { EX_USAGE, fail, onDatabase, say } from './operator.ts';

const USAGE = 'Usage: npm run archive -- <guild id> <file>';

async function main(): Promise<void> {
  const [guildId = '', path = '', more] = process.argv.slice(2);
  if (!/^\d{17,20}$/.test(guildId) || path === '' || more !== undefined) return fail(USAGE, EX_USAGE);
  await onDatabase('bailiff-archive', 'The archive was not written', (db) =>
    write(db, guildId, namedFile(path)),
  );
}

async function write(db: Database, guildId: string, path: string): Promise<void> {
  // Half an archive would look like a whole one. Nobody else may read it.
  const { name, lines } = await writeInSteps(path, async (file) => {
    const name = await recordArchiveByOperator(db, guildId);
    if (name === null) throw new Error(`Bailiff does not know the guild ${guildId}: was the bot in it?`);
    let lines = 0;
    for await (const step of archiveOf(db, guildId, new Date(), (run) => run())) {
      // Unlike `write`, it fails where the disk takes only a part.
      await file.appendFile(step.map((line) => `${JSON.stringify(line)}\n`).join(''));
      lines += step.length;
    }
    return { name, lines };
  });
  say(`${lines} lines of ${name} are in ${path}.`);
}

await main();
