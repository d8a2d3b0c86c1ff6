import { type GuildView, listGrants } from '@bailiff/engine/guilds/guilds';
import type { TranscriptMessage } from '@bailiff/engine/tickets/ticket-list';
import type { Mentioned } from '#components/tickets/message-text.tsx';
import { type People, peopleOf } from './people.ts';
import { runtime } from './runtime.ts';

/** False if Discord hid what people wrote: then none of their messages holds anything. */
export function hasTexts(messages: readonly TranscriptMessage[]): boolean {
  const written = messages.filter(({ author_is_bot }) => !author_is_bot);
  return (
    written.length === 0 || written.some(({ text, attachments }) => text !== '' || attachments.length > 0)
  );
}

/** The names of those who wrote messages or are mentioned in them, and of `others` on the page. */
export async function peopleInMessages(
  guild: GuildView,
  messages: readonly TranscriptMessage[],
  others: readonly (string | null)[],
): Promise<{ people: People; mentioned: Mentioned }> {
  const known = await peopleOf(guild, [...others, ...messages.flatMap(idsIn)]);
  // The authors are shown by name, even if they are not in the guild.
  const names = { ...authorsOf(messages), ...known.names };
  return {
    people: { ...known, names },
    mentioned: { people: names, roles: await rolesMentioned(guild.id, messages) },
  };
}

/** Most people of one message who are looked up. The others are shown by id. */
const MOST_MENTIONED = 50;

function idsIn({ author_id, text }: TranscriptMessage): string[] {
  const mentioned = Array.from(text.matchAll(/<@!?(\d{17,20})>/g), ([, id]) => id ?? '');
  return [author_id, ...mentioned.slice(0, MOST_MENTIONED)];
}

function authorsOf(messages: readonly TranscriptMessage[]): Record<string, string> {
  return Object.fromEntries(messages.map(({ author_id, author_name }) => [author_id, author_name]));
}

/** The names of the roles that messages mention. */
async function rolesMentioned(
  guildId: string,
  messages: readonly TranscriptMessage[],
): Promise<Record<string, string>> {
  if (!messages.some(({ text }) => text.includes('<@&'))) return {};
  const roles = await listGrants(runtime().db, guildId);
  return Object.fromEntries(roles.map(({ roleId, name }) => [roleId, name]));
}
