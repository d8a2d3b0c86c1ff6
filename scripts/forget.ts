// `npm run forget -- guild | user <id> [--yes]`: the operator has a guild's or a person's data removed.
import {
  type Counts,
  countOfGuild,
  forgetGuildAsOperator,
  forgetPerson,
  PartlyForgotten,
} from '@bailiff/engine/guilds/forget';
import { EX_USAGE, fail, onDatabase } from './operator.ts';

const USAGE = `Usage: npm run forget -- guild <guild id> [--yes]
       npm run forget -- user <user id> [--yes]
Without --yes it only counts.`;

/** A person's rows are changed in one transaction, and may be many. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

async function main(): Promise<void> {
  const [kind, id = '', yes, ...rest] = process.argv.slice(2);
  const isKnown = kind === 'guild' || kind === 'user';
  if (!isKnown || !/^\d{17,20}$/.test(id) || !['--yes', undefined].includes(yes) || rest.length > 0) {
    return fail(USAGE, EX_USAGE);
  }
  const rehearse = yes === undefined;
  await onDatabase(
    'bailiff-forget',
    'Nothing was forgotten',
    async (db) => {
      try {
        const counts =
          kind === 'user'
            ? await forgetPerson(db, id, { rehearse })
            : await (rehearse ? countOfGuild : forgetGuildAsOperator)(db, id);
        say(counts, rehearse);
      } catch (error) {
        if (!(error instanceof PartlyForgotten)) throw error;
        fail(`Not everything was forgotten; run it again: ${error.message}`, 1);
      }
    },
    { statementTimeoutMs: STATEMENT_TIMEOUT_MS },
  );
}

function say(counts: Counts, rehearse: boolean): void {
  const tables = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = tables.map(([table, count]) => `${String(count).padStart(9)}  ${table}\n`);
  const total = tables.length === 0 ? 'There is nothing of them here.\n' : '';
  const end = rehearse ? 'Nothing was changed. Add --yes to do it.\n' : 'Done, and recorded.\n';
  process.stdout.write(total || `${lines.join('')}${end}`);
}

await main();
