export { forbidden, notFound } from './action-errors.ts';
export { type Action, type ActionError, actionWire, getAction } from './actions.ts';
export { type Activity, type ActivityCount, type ActivityOfDay, activityOf } from './activity.ts';
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
export { type Attention, attentionFor, countAttention } from './attention.ts';
export { type AuditFile, auditFile } from './audit-entry.ts';
export {
  type AuditExport,
  EXPORT_FORMATS,
  type ExportFormat,
  findExport,
  recordExport,
} from './audit-export.ts';
export {
  type AuditEntry,
  type AuditFilter,
  type AuditQuery,
  allAuditEntries,
  auditEntries,
  idsNamed,
  listAuditLog,
} from './audit-log.ts';
export {
  type Authorized,
  authorize,
  authorizePerson,
  capabilityDenied,
  capabilityOf,
  type TokenCall,
} from './authorize.ts';
export {
  discordLogPosition,
  discordLogReadable,
  discordLogReadTo,
  type HandDeed,
  type HandOutcome,
  recordDeed,
} from './by-hand.ts';
export {
  claimBanNotice,
  claimCaseNotice,
  deliveredNotice,
  giveBackNotice,
  type NoticeOutcome,
  noticeWaiterKey,
  settleTargetNotice,
  type TargetNotice,
  type TargetNoticeState,
  targetNoticeOf,
} from './case-notices.ts';
export {
  type CasePost,
  claimCasePost,
  type LogChannelProblem,
  leaveCasePost,
  logChannelOf,
  noteLogChannel,
  type PostedCase,
  settleCasePost,
} from './case-posts.ts';
export {
  CASE_STANDINGS,
  type CaseFile,
  type CaseFilters,
  type CaseOrigin,
  type CaseStanding,
  caseFile,
  issuersOfCases,
  listCases,
} from './case-reads.ts';
export {
  banWire,
  CASE_COLUMNS,
  CASE_KINDS,
  type CaseKind,
  type CaseRow,
  endCase,
  endCasesOf,
  mutedMembers,
  muteWire,
  type NewCase,
  only,
  openCase,
  readableKinds,
  strikeWire,
} from './cases.ts';
export { type ChangeKind, type Hearer, hearersOf, type Listener, mayHear } from './changes.ts';
export { coalesce, perOwner } from './coalesce.ts';
export type { DashboardCall, DashboardOperation } from './dashboard-call.ts';
export { databaseUnavailable, isDatabaseUnavailable, type Patience, patience } from './database-errors.ts';
export type { Place, Sheet } from './desk-paging.ts';
export { type DevicePoll, type DevicePollError, pollDevice, startDevice } from './device.ts';
export { confirmDevice, denyDevice, findDevice, type WaitingDevice } from './device-consent.ts';
export { DEADLINES, type Engine } from './engine.ts';
export {
  type EscalationLink,
  type EscalationWire,
  escalationOfCase,
  escalationPolicy,
  escalationWire,
  foreseeEscalation,
  type Standing,
  standingOf,
  updateEscalation,
} from './escalation.ts';
export {
  carryOutEscalation,
  type EscalationEnd,
  escalationEnd,
  type FailedEscalation,
  resumeEscalations,
} from './escalation-actions.ts';
export { takeIdentifyTurn } from './gateway-turns.ts';
export { sweepLostCapabilities } from './grace.ts';
export { checkCall, GUARD_STEPS, type GuardStep } from './guard-check.ts';
export {
  type GuildSettings,
  type GuildSettingsChanges,
  guildSettings,
  updateGuildSettings,
} from './guild-settings.ts';
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
  type Viewer,
} from './guilds.ts';
export { type Dropped, dropLapsed } from './housekeeping.ts';
export { type Issuer, issuerChecked, issuersToCheck } from './issuers.ts';
export { keepName } from './known-names.ts';
export {
  findPeople,
  type GameIdentity,
  identitiesOf,
  type KnownPerson,
} from './member-reads.ts';
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
  moderatesAnew,
  putGuild,
  putMember,
  putRoles,
  removeRole,
  replaceMembers,
  shardIsAlive,
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
export {
  addPreset,
  listPresets,
  MOST_PRESETS_PER_GUILD,
  type Preset,
  type PresetWire,
  presetWire,
  removePreset,
  updatePreset,
} from './presets.ts';
export { isRead, performRead, type ReadCall, readForPage, readForPerson } from './read-call.ts';
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
  type ConsoleRun,
  type DeskServer,
  deskServer,
  deskServers,
  judgeFor,
  listRuns,
  seesServers,
} from './server-console.ts';
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
export { strikeRefusal } from './store-performers.ts';
export type { Actor, WriteCall } from './submit.ts';
export {
  countTickets,
  listTickets,
  type TicketFilters,
  type TranscriptMessage,
  ticketFile,
} from './ticket-reads.ts';
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
export { callsInWindows, type WindowCall } from './window-calls.ts';
export { closeWindow, currentWindow, type OpenWindow, openWindow, windowWire } from './windows.ts';
