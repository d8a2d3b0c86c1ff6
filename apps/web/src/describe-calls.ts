import { entryOf, isOperationName, parseInput } from '@bailiff/core';
import { memberNames } from '@bailiff/engine/guilds/guilds';
import { describeCallIn, type Locale } from '@bailiff/messages';
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

/** Calls of a guild, each with its sentence. People and the guild appear by name if their names are known. */
export async function describeCalls<Call extends RecordedCall>(
  db: Database,
  guild: { readonly id: string; readonly name: string },
  calls: readonly Call[],
  locale: Locale,
): Promise<Described<Call>[]> {
  const ids = calls.flatMap(({ input }) => idsIn(input));
  const known = ids.length === 0 ? {} : await memberNames(db, guild.id, ids);
  const names = { ...known, [guild.id]: guild.name };
  return calls.map((call) => ({ ...call, sentence: sentenceOf(call, guild.id, names, locale) }));
}

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
    : entryOf(operation).summary;
}

function idsIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input).filter((value) => typeof value === 'string' && /^\d{17,20}$/.test(value));
}
