import type { SeededDashboard } from './dashboard-seed.ts';

/** What is measured of the dashboard, by the names that figures have: the address below the origin. */
export const DASHBOARD_PAGES = {
  guilds: { title: 'Guilds', path: () => '/' },
  overview: { title: 'Overview', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}?days=30` },
  audit: { title: 'Audit log', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/audit` },
  auditMiddle: {
    title: 'Audit log, in the middle',
    path: ({ guildId, auditId }: SeededDashboard) => `/guilds/${guildId}/audit?before=${auditId}`,
  },
  auditRare: {
    title: 'Audit log, a rare outcome',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/audit?outcome=unknown`,
  },
  auditNone: {
    title: 'Audit log, two filters that nothing fits',
    path: ({ guildId, userId }: SeededDashboard) => `/guilds/${guildId}/audit?actor=${userId}&source=chat`,
  },
  auditSearch: {
    title: 'Audit log, a search',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/audit?q=ban`,
  },
  auditNothing: {
    title: 'Audit log, a search that finds nothing',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/audit?q=nowhere`,
  },
  auditReads: {
    title: 'Audit log, with reads',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/audit?reads=shown`,
  },
  auditEntry: {
    title: 'One entry of the audit log',
    path: ({ guildId, auditId }: SeededDashboard) => `/guilds/${guildId}/audit/${auditId}`,
  },
  cases: { title: 'Cases', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/cases` },
  casesSearch: {
    title: 'Cases, a search',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/cases?q=reason`,
  },
  caseOne: { title: 'One case', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/cases/1000` },
  members: { title: 'Members', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/members` },
  membersSearch: {
    title: 'Members, a search',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/members?q=mem`,
  },
  memberOne: {
    title: 'One member, with their whole record',
    path: ({ guildId, userId }: SeededDashboard) => `/guilds/${guildId}/members/${userId}`,
  },
  tickets: { title: 'Tickets', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/tickets` },
  ticketOne: {
    title: 'One ticket',
    path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/tickets/100`,
  },
  servers: { title: 'Game servers', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/servers` },
  serverOne: {
    title: 'One game server',
    path: ({ guildId, serverId }: SeededDashboard) => `/guilds/${guildId}/servers/${serverId}`,
  },
  approvals: { title: 'Approvals', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/approvals` },
  tokens: { title: 'Tokens', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/tokens` },
  settings: { title: 'Settings', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/settings` },
  guard: { title: 'Guard check', path: ({ guildId }: SeededDashboard) => `/guilds/${guildId}/guard` },
  sessions: { title: 'Sessions', path: () => '/sessions' },
  device: { title: 'A device', path: () => '/device' },
  reference: { title: 'API reference', path: () => '/docs/api' },
} as const;

export type DashboardPage = keyof typeof DASHBOARD_PAGES;
