/** What an operation can fail to find, as the error NOT_FOUND calls it: "This guild has no ban of user 123." */
export const NOT_FOUND_NOUNS = {
  action: 'action',
  ban: 'ban of user',
  case: 'case',
  channel: 'channel',
  member: 'member',
  mute: 'mute of user',
  note: 'note',
  server: 'game server',
  strike: 'strike',
  ticket: 'ticket',
  user: 'user',
} as const;

export type NotFoundNoun = keyof typeof NOT_FOUND_NOUNS;
