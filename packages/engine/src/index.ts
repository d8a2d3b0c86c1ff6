export { forbidden, notFound } from './action-errors.ts';
export { type Action, type ActionError, actionWire, getAction } from './actions.ts';
export {
  type AdmittedToken,
  admit,
  type Balances,
  balancesOf,
  type GuildTier,
  liveCapabilities,
  liveMember,
} from './admission.ts';
export {
  type ApprovalState,
  type ApprovalView,
  DECISIONS,
  type Decision,
  decideApproval,
  listApprovals,
} from './approvals.ts';
export { type AuditEntry, listAuditLog } from './audit-log.ts';
export { type Authorized, authorize, authorizePerson, type TokenCall } from './authorize.ts';
export {
  banWire,
  CASE_COLUMNS,
  type CaseKind,
  type CaseRow,
  endCase,
  endCasesOf,
  muteWire,
  type NewCase,
  only,
  openCase,
  strikeWire,
} from './cases.ts';
export { coalesce, perOwner } from './coalesce.ts';
export type { DashboardCall, DashboardOperation } from './dashboard-call.ts';
export { databaseUnavailable, isDatabaseUnavailable, type Patience, patience } from './database-errors.ts';
export { type DevicePoll, type DevicePollError, pollDevice, startDevice } from './device.ts';
export { confirmDevice, denyDevice, findDevice, type WaitingDevice } from './device-consent.ts';
export { DEADLINES, type Engine } from './engine.ts';
export { sweepLostCapabilities } from './grace.ts';
export {
  type GuildView,
  guildFor,
  guildsOf,
  listGrants,
  memberNames,
  ownedGuild,
  type RoleGrant,
  type RoleGrantView,
  updateGrants,
} from './guilds.ts';
export { type Dropped, dropLapsed } from './housekeeping.ts';
export { type Issuer, issuerChecked, issuersToCheck } from './issuers.ts';
export {
  beatShard,
  distrustGuild,
  distrustShard,
  endShard,
  guildLeft,
  guildsOfShard,
  isWanted,
  type MirroredGuild,
  type MirroredMember,
  type MirroredRole,
  memberLeft,
  putGuild,
  putMember,
  putRoles,
  removeRole,
  replaceMembers,
  type WantedMembers,
  wantedMembers,
} from './mirror.ts';
export { type OperatorToken, revokeAsOperator, tokensForOperator } from './operator-tokens.ts';
export {
  type ClaimedAction,
  type Log,
  type Performer,
  type Performers,
  performAction,
  recoverActions,
  renewLease,
  settleAction,
} from './perform.ts';
export { type Answer, performCall, performForPerson } from './perform-call.ts';
export { isRead, performRead, type ReadCall, readForPerson } from './read-call.ts';
export type { PersonRead, ReadOperation } from './reads.ts';
export {
  claimNotice,
  type Notice,
  type NoticeFailure,
  type NoticeTo,
  requireRotation,
  settleNotice,
  waitingNotices,
} from './rotation.ts';
export {
  openPassword,
  SECRETS_KEY_BYTES,
  type SealedFor,
  type SealingKey,
  type SealingPair,
  sealedTo,
  sealingPair,
  sealPassword,
} from './sealing.ts';
export { type Keyring, keyringOf, publishSealingKey, type Resealed } from './sealing-keys.ts';
export {
  addServer,
  checkServer,
  commandableServers,
  listServers,
  MOST_SERVERS_PER_GUILD,
  type NewServer,
  putServer,
  removeServer,
  type ServerChanges,
  type ServerView,
  type ServerWire,
  serverWire,
  updateServer,
} from './servers.ts';
export {
  endSession,
  findSession,
  findUser,
  keepUser,
  SESSION_SECONDS,
  type Session,
  startSession,
} from './sessions.ts';
export { cancelAction, type Outcome, settle } from './settle.ts';
export type { Actor, WriteCall } from './submit.ts';
export { closeTicket, openTicket, TICKET_COLUMNS, type TicketRow, ticketWire } from './tickets.ts';
export {
  applyDefaultTier,
  disentitleGuild,
  entitledGuilds,
  entitleGuild,
  setTier,
  type TierChange,
} from './tiers.ts';
export {
  DEFAULT_LIFETIME,
  type IssuedToken,
  LIFETIME_NAMES,
  LIFETIMES,
  type Lifetime,
  listTokens,
  MOST_TOKENS_PER_GUILD,
  mintToken,
  type NewToken,
  renewToken,
  revokeToken,
  rotateToken,
  snoozeWarning,
  type TokenState,
  type TokenView,
  type TokenWire,
  tokenWire,
  updateToken,
} from './tokens.ts';
export { inTransaction, type Transaction } from './transaction.ts';
export { type ActionNotice, createWaiters, type Waiter, type Waiters } from './waiters.ts';
export { closeWindow, currentWindow, type OpenWindow, openWindow, windowWire } from './windows.ts';
