import type { Capability } from '@bailiff/core';
import { messagesFor } from './messages.ts';

/** What a capability lets people do, in the page's language, with its name in calls: `Read tickets (tickets.read)`. */
export async function capabilityName(capability: Capability): Promise<string> {
  const say = await messagesFor('capabilities');
  return `${say(`names.${capability}`)} (${capability})`;
}
