import { newRequestId } from '@bailiff/engine/calls/request-id';
import { type GuildView, memberNames } from '@bailiff/engine/guilds/guilds';
import { knownThings } from '@bailiff/engine/guilds/known-names';
import { type AskingDiscord, searchPeople } from '@bailiff/engine/guilds/people-search';
import { askingFor } from './dashboard-api/people.ts';
import { isUserId } from './page-query.ts';
import { type PersonWire, personWire } from './person-wire.ts';
import { runtime } from './runtime.ts';

/** The names of the people on a page. */
export interface People {
  readonly guildId: string;
  /** The names by id, as far as they are known. */
  readonly names: Readonly<Record<string, string>>;
  /** Whether the reader may open their records. */
  readonly linked: boolean;
}

/**
 * As {@link peopleOf}, with the person whom a filter names. Discord is asked about somebody whom no record and no mirror
 * names, unless the bot is away.
 */
export async function peopleWith(
  guild: GuildView,
  readerId: string,
  chosen: string | undefined,
  others: readonly (string | null)[] = [],
): Promise<People> {
  const people = await peopleOf(guild, others);
  if (chosen === undefined || people.names[chosen] !== undefined || !people.linked) return people;
  // Not `peopleOf`: the address may name anybody, and a guild learns no name from the records of others.
  const known = await findPerson(guild, chosen);
  const name = known.display_name ?? (await personOf(guild, readerId, chosen)).display_name;
  return name === null ? people : { ...people, names: { ...people.names, [chosen]: name } };
}

/** A person by id, as the database and, unless the bot is away, Discord know them. */
export function personOf(guild: GuildView, readerId: string, userId: string): Promise<PersonWire> {
  return findPerson(guild, userId, askingForPage(guild, readerId));
}

async function findPerson(guild: GuildView, userId: string, asking?: AskingDiscord): Promise<PersonWire> {
  const { people } = await searchPeople(runtime().db, guild, userId, asking);
  const [found] = people.map(personWire);
  if (found === undefined) throw new Error('A search for an id always finds a person.');
  return found;
}

/** What the target that a filter names is called, as far as that is known: its name, or the number of what has one. */
export async function targetName(
  guild: GuildView,
  readerId: string,
  target: string,
): Promise<Readonly<Record<string, string>>> {
  const [thing] = await knownThings(runtime().db, guild.id, [target]);
  if (thing !== undefined) return { [target]: 'name' in thing ? thing.name : `#${thing.number}` };
  const mayBePerson = isUserId(target) && target !== guild.id;
  return mayBePerson ? (await peopleWith(guild, readerId, target)).names : {};
}

/** How a page asks Discord about people; undefined while the bot is away. */
export function askingForPage({ id, mirrorFresh }: GuildView, readerId: string): AskingDiscord | undefined {
  return mirrorFresh ? askingFor(runtime().engine, id, readerId, newRequestId()) : undefined;
}

export async function peopleOf(guild: GuildView, ids: readonly (string | null)[]): Promise<People> {
  const known = ids.filter((id) => id !== null);
  return {
    guildId: guild.id,
    names: known.length === 0 ? {} : await memberNames(runtime().db, guild.id, known),
    linked: guild.capabilities.includes('members.read'),
  };
}
