/** What may be missing, as the message of NOT_FOUND names it: "This guild has no ban of user 123." */
export const NOT_FOUND_NOUNS = {
  action: 'action',
  appeal: 'appeal',
  approval: 'approval request',
  archive: 'archive of purged messages',
  ban: 'ban of user',
  case: 'case',
  channel: 'channel',
  due_change: 'change that is due in',
  expired_ban: 'expired ban of user',
  lock: 'lock of channel',
  lockdown: 'lockdown',
  member: 'member',
  mute: 'mute of user',
  note: 'note',
  preset: 'preset',
  preview: 'preview',
  report: 'report',
  role: 'role',
  role_for_a_time: 'role for a time of user',
  server: 'game server',
  strike: 'strike',
  ticket: 'ticket',
  user: 'user',
  warning: 'warning',
} as const;

export type NotFoundNoun = keyof typeof NOT_FOUND_NOUNS;
