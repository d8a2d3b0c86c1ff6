/** Where the guides answer what people ask themselves on a page of the dashboard. */
export const GUIDE_TOPICS = {
  invite: '/docs/owners#invite-bailiff',
  grants: '/docs/owners#who-may-do-what',
  logChannel: '/docs/owners#the-log-channel',
  reasons: '/docs/owners#reasons',
  escalation: '/docs/owners#escalation',
  approvals: '/docs/owners#approve-with-open-eyes',
  windows: '/docs/owners#windows',
  tokens: '/docs/owners#tokens',
  audit: '/docs/owners#the-audit-log',
  servers: '/docs/owners#game-servers',
  sessions: '/docs/owners#your-sessions',
  tickets: '/docs/moderators#tickets',
  appeals: '/docs/moderators#appeals',
  reports: '/docs/moderators#reports-by-members',
  lists: '/docs/moderators#lists-in-the-dashboard',
} as const;

/** Where the guide for owners says how to do in Discord what cannot be done in the dashboard. */
export const DONE_IN_DISCORD = {
  moderator: '/docs/owners#your-moderators',
  tickets: '/docs/owners#tickets',
} as const;

export type GuideTopic = keyof typeof GUIDE_TOPICS;
