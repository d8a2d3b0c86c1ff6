import type { RestOperation } from './index.ts';

/** A part of the public API: the first part of its operations' names. */
export type Area = RestOperation extends infer N
  ? N extends `${infer A}.${string}`
    ? A
    : N & string
  : never;

/** The title and description of each area in the documents, in their order. */
export const AREAS: Readonly<Record<Area, { readonly title: string; readonly description: string }>> = {
  me: {
    title: 'The token',
    description: 'The token itself: what it may do, its window, its budgets.',
  },
  strikes: {
    title: 'Strikes',
    description: 'Strikes of members, which stay on record when they are removed.',
  },
  warnings: {
    title: 'Warnings',
    description: 'Warnings, which count no points and stay on record when they are removed.',
  },
  bans: { title: 'Bans', description: 'Bans, permanently or for a number of minutes.' },
  mutes: { title: 'Mutes', description: 'Timeouts; those of a day at most need no window.' },
  tickets: { title: 'Tickets', description: 'Tickets that members have opened, and who has claimed them.' },
  appeals: { title: 'Appeals', description: 'What people say against what was done to them.' },
  reports: { title: 'Reports', description: 'What members report to the moderators, and how it ends.' },
  messages: { title: 'Messages', description: 'Deleting many messages of a channel at once.' },
  channels: {
    title: 'Channels',
    description: 'Slowmode, and locks of channels and of the whole guild, which can end by themselves.',
  },
  roles: { title: 'Roles', description: 'Roles that members have for a while.' },
  servers: { title: 'Game servers', description: 'Game servers, and commands on their consoles.' },
  members: { title: 'Members', description: 'What is on record about a person.' },
  identities: {
    title: 'Identities in games',
    description: 'Who people are in games, by the names and ids that game servers know.',
  },
  rules: { title: 'Rules', description: 'What the guild has set down about its moderation' },
  cases: { title: 'Cases', description: 'What is the same for cases of every kind.' },
  audit: { title: 'Audit log', description: 'Who did what, and what was refused.' },
  actions: {
    title: 'Actions',
    description:
      'How a call ended whose answer said that it is unknown or goes on, and stopping what goes on.',
  },
  approvals: {
    title: 'Approvals',
    description: 'What the owner decided about a call that needs approval.',
  },
};

/** The area that an operation belongs to. */
export function areaOf(name: RestOperation): Area {
  return name.replace(/\..*/, '') as Area;
}
