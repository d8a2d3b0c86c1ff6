import type { Capability } from '@bailiff/core';
import { currentLocale, messagesFor } from './messages.ts';

/** What a capability lets people do, in the page's language, with its name in calls: `Read tickets (tickets.read)`. */
export async function capabilityName(capability: Capability): Promise<string> {
  const say = await messagesFor('capabilities');
  return `${say(`names.${capability}`)} (${capability})`;
}

/** What somebody's roles lack of what buttons need, in the page's language; undefined if they lack nothing. */
export async function lackingOf(
  held: readonly Capability[],
  needed: readonly Capability[],
): Promise<string | undefined> {
  const lacking = new Set(needed.filter((each) => !held.includes(each)));
  if (lacking.size === 0) return undefined;
  const names = await Promise.all([...lacking].map(capabilityName));
  const list = new Intl.ListFormat(await currentLocale()).format(names);
  return (await messagesFor('people'))('lacking', { capabilities: list });
}
