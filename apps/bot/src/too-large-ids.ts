import { RESTJSONErrorCodes as Code } from 'discord.js';

/** Discord's codes for what does not exist, by what stands before its id in a route. */
const UNKNOWN: Readonly<Record<string, Code>> = {
  bans: Code.UnknownBan,
  channels: Code.UnknownChannel,
  members: Code.UnknownMember,
  messages: Code.UnknownMessage,
  roles: Code.UnknownRole,
  users: Code.UnknownUser,
};

/** Whether a number has too many bits for an id of Discord, such as that of a moment after 2084. */
export function isTooLarge(id: string): boolean {
  return BigInt(id) >= 2n ** 63n;
}

/**
 * What Discord would say of an id in this route that nothing has, if it has too many bits for an id. Discord calls such
 * a request malformed, as if Bailiff had built it wrongly. But somebody has only mistyped an id.
 */
export function unknownIn(method: string, route: string): Code | undefined {
  const parts = route.split('/');
  const at = parts.findIndex((part) => /^\d{19,20}$/.test(part) && isTooLarge(part));
  const kind = parts[at - 1];
  // A new ban lacks its person. Where one is read or lifted, it is the ban that is not there.
  return kind === 'bans' && method === 'PUT' ? Code.UnknownUser : UNKNOWN[kind ?? ''];
}
