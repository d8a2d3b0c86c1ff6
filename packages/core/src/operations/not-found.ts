/** What an operation may not find, as NOT_FOUND names it in its message: "This guild has no ban of user 123." */
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
