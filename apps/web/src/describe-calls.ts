import { isOperationName, parseInput } from '@bailiff/core';
import { memberNames } from '@bailiff/engine/guilds/guilds';
import { knownThings } from '@bailiff/engine/guilds/known-names';
import { describeCallIn, type Locale, translator } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';

/** A call as it was recorded. */
interface RecordedCall {
  readonly operation: string;
  readonly input: unknown;
}

export type Described<Call extends RecordedCall> = Call & {
  /** The exact call as a sentence. */
  readonly sentence: string;
};

/** Calls of a guild, each with its sentence. People and things appear by name if their names are known. */
export async function describeCalls<Call extends RecordedCall>(
  db: Database,
  guild: { readonly id: string; readonly name: string },
  calls: readonly Call[],
  locale: Locale,
): Promise<Described<Call>[]> {
  const names = {
    ...(await namesOf(
      db,
      guild.id,
      calls.flatMap(({ input }) => idsIn(input)),
      locale,
    )),
    [guild.id]: guild.name,
  };
  return calls.map((call) => ({ ...call, sentence: sentenceOf(call, guild.id, names, locale) }));
}

/** The names of people, channels and servers by id; of a case, an appeal or a report, its number and person. */
async function namesOf(
  db: Database,
  guildId: string,
  ids: readonly string[],
  locale: Locale,
): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const things = await knownThings(db, guildId, ids);
  const struck = things.flatMap((thing) => ('userId' in thing ? [thing.userId] : []));
  const names = await memberNames(db, guildId, [...ids, ...struck]);
  const t = translator(locale, 'names');
  for (const thing of things) {
    if ('name' in thing) names[thing.id] = thing.name;
    else {
      const person = names[thing.userId] ?? t('user', { id: thing.userId });
      const said = SAID_OF[thing.kind] ?? 'strikeOf';
      names[thing.id] = t(said, { number: String(thing.number), person });
    }
  }
  return names;
}

const SAID_OF: Readonly<Record<string, 'warningOf' | 'appealOf' | 'reportOf'>> = {
  warning: 'warningOf',
  appeal: 'appealOf',
  report: 'reportOf',
};

function sentenceOf(
  { operation, input }: RecordedCall,
  guildId: string,
  names: Record<string, string>,
  locale: Locale,
): string {
  if (!isOperationName(operation)) return operation;
  // A call recorded by an older version may not match today's schema. The page also shows the call as JSON.
  const parsed = parseInput(operation, input);
  return parsed.success
    ? describeCallIn(locale, operation, guildId, parsed.data, names)
    : translator(locale, 'operations')(`${operation}.name`);
}

/** The ids of Discord or Bailiff in an input. */
function idsIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input).filter((value) => typeof value === 'string' && ID.test(value));
}

const ID = /^(\d{17,20}|[a-z]{3}_[0-9a-f]{32})$/;
