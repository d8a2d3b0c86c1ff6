import { type CaseKind, entryOf, type OperationName } from '@bailiff/core';
import { authorizePerson } from '@bailiff/engine/calls/authorize';
import { type PersonInForce, peopleWithCase, personCalled } from '@bailiff/engine/cases/in-force';
import type { Engine } from '@bailiff/engine/engine';
import { personIdIn } from '@bailiff/engine/guilds/people-search';
import { type Locale, translator } from '@bailiff/messages';
import type { ApplicationCommandOptionChoiceData } from 'discord.js';
import { InputProblem } from './read-input.ts';
import { oneLine } from './text.ts';

/** Discord's limit. */
const MOST_LABEL = 100;

/** The kind of the cases that an operation ends or changes. @throws Error for another one */
function concernedBy(operation: OperationName): CaseKind {
  const { dashboard } = entryOf(operation);
  if (dashboard?.on !== 'case' && dashboard?.on !== 'in_force')
    throw new Error(`${operation} is about no case in force`);
  return dashboard.kind;
}

/** Suggestions of people whom a command can release: who is banned for `/unban`, who is muted for `/unmute`. */
export async function sanctionedChoices(
  engine: Engine,
  operation: OperationName,
  typed: string,
  { guildId, userId }: { guildId: string; userId: string },
): Promise<ApplicationCommandOptionChoiceData[]> {
  await authorizePerson(engine, { operation, guildId, userId });
  const people = await peopleWithCase(engine.db, guildId, concernedBy(operation), typed);
  return people.map((person) => ({ name: oneLine(labelOf(person), MOST_LABEL), value: person.userId }));
}

function labelOf({ userId, caseNumber, username, displayName }: PersonInForce): string {
  const names = displayName === username ? [username] : [displayName, username];
  return `${names.filter((name) => name !== null).join(' · ') || userId} (#${caseNumber})`;
}

/**
 * The id of the person who was picked from the suggestions, or written as an id, a mention or the whole name of the only
 * person who has it.
 *
 * @throws InputProblem that names the option, and ApiError as `authorizePerson` before a name is looked up
 */
export async function sanctionedId(
  engine: Engine,
  operation: OperationName,
  typed: string,
  asker: { guildId: string; userId: string; locale: Locale; option: string },
): Promise<string> {
  const text = typed.trim();
  const id = personIdIn(text);
  if (id !== null) return id;
  const { guildId, userId, locale, option } = asker;
  await authorizePerson(engine, { operation, guildId, userId });
  const person = await personCalled(engine.db, guildId, concernedBy(operation), text);
  if (person === null) {
    const t = translator(locale, 'chat');
    throw new InputProblem(t('options.notOnePerson', { option, name: oneLine(text, MOST_LABEL) }));
  }
  return person;
}
