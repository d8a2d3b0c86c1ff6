export {
  type Address,
  contains,
  countedAddress,
  type Network,
  parseAddress,
  parseNetwork,
} from './addresses.ts';
export {
  addressAllowed,
  parseAllowlist,
} from './allowlist.ts';
export {
  APPEALABLE,
  type AppealableKind,
  AppealInput,
  type AppealSettings,
  type AppealSettingsChanges,
  AppealSettingsInput,
  MOST_ANSWER_CHARACTERS,
  MOST_APPEAL_QUESTIONS,
} from './appeal-settings.ts';
export {
  actionIdInReason,
  auditLogReason,
  MOST_REASON_CHARACTERS,
} from './audit-reason.ts';
export { BOT_PERMISSIONS } from './bot-permissions.ts';
export {
  type Bucket,
  balanceAt,
  fullBucket,
  rateLimitFields,
  remainingAt,
  spendBoth,
  TIERS,
  type TierBudget,
} from './budgets.ts';
export {
  CAPABILITIES,
  CAPABILITY_PRESETS,
  type Capability,
  CapabilitySet,
  inTableOrder,
  intersect,
  isCapability,
  MODERATION_PERMISSIONS,
  proposeCapabilities,
  WITHOUT_PERMISSION,
} from './capabilities.ts';
export {
  CASE_KIND_NAMES,
  CASE_KINDS,
  type CaseKind,
  caseKind,
  caseState,
  PRESET_KINDS,
  type PresetKind,
} from './case-kinds.ts';
export {
  type ChannelOverwrite,
  inDiscordOrder,
  type PermissionHolder,
  permissionsInChannel,
  permissionsLacking,
} from './channels.ts';
export {
  clientAddress,
  forgottenProxy,
  parseTrustedProxies,
  type TrustedProxies,
} from './client-address.ts';
export {
  type CommandPolicy,
  type CommandVerdict,
  isCommandAllowed,
  judgeCommand,
  MOST_PATTERNS,
  parsePatterns,
  RCON_COMMAND_BYTES,
} from './command-policy.ts';
export {
  HostSetting,
  METRICS_SETTINGS,
  type MetricsAddress,
  metricsFrom,
  OriginSetting,
  type OriginSettings,
  originsFrom,
  parseEnvironment,
  TRACING_SETTINGS,
  type TracingSettings,
  tracingFrom,
} from './configuration.ts';
export { ConfigurationError, type ConfigurationProblem, EX_CONFIG } from './configuration-error.ts';
export { decodeCursor, encodeCursor } from './cursor.ts';
export {
  DatabaseAddressSetting,
  type DatabaseServer,
  parseDatabaseAddress,
} from './database-address.ts';
export {
  DEVICE_GRANT_TYPE,
  DEVICE_INTERVAL_SECONDS,
  DEVICE_LIFETIME_SECONDS,
  entryBlockedSeconds,
  MOST_WRONG_CODES,
  readUserCode,
  shownUserCode,
  USER_CODE_BYTES,
  userCodeFromBytes,
  withWrongCode,
} from './device.ts';
export { canonicalJson, digestOf } from './digest.ts';
export { type Markdown, readMarkdown } from './discord-markdown.ts';
export { parseDuration } from './durations.ts';
export {
  ApiError,
  type DetailsOf,
  ERRORS,
  type ErrorCode,
  type ErrorDetails,
  type ErrorEnvelope,
  type ForbiddenReason,
  type Issue,
  type ServerProblem,
} from './errors.ts';
export {
  type CountedStrike,
  type Escalation,
  EscalationInput,
  type EscalationPolicy,
  type EscalationStep,
  escalationOf,
  isSameStep,
  MOST_ESCALATION_STEPS,
  NO_ESCALATION,
  pointsOf,
} from './escalation.ts';
export { EVENT_NAMES, type EventName } from './events.ts';
export { curlOf, type ExampleCall, exampleCall } from './examples.ts';
export {
  GAME_PLATFORMS,
  type GamePlatform,
  IDENTITY_RULES,
  identityKey,
  MOST_IDENTITY_CHARACTERS,
  readIdentity,
} from './game-identities.ts';
export { CaseId, ID_PREFIXES, id, kindOfCaseId, madeAt, Snowflake } from './ids.ts';
export { MOST_CLOSINGS, MOST_MESSAGES_OF_CASE, MOST_TRANSCRIPT_PARTS } from './imports/archived-rows.ts';
export { ARCHIVE_FORMAT, ARCHIVE_VERSION } from './imports/bailiff.ts';
export { type ImportRow, readImportRow } from './imports/import-row.ts';
export {
  LINK_CODE_BYTES,
  LINK_CODE_MINUTES,
  linkCodeFromBytes,
  MOST_TYPED_LINK_CODE,
  readLinkCode,
} from './link-codes.ts';
export { LOG_TOPICS, type LogTopic } from './log-topics.ts';
export { renamed, wholeName } from './member-names.ts';
export { NoticeColour, NoticeWords } from './notice-settings.ts';
export { fillNotice, MOST_NOTICE_WORDS, NOTICE_PLACEHOLDERS } from './notice-words.ts';
export {
  OAUTH_ENDPOINTS,
  OAUTH_ERRORS,
  OAUTH_PATHS,
  type OAuthEndpoint,
  type OAuthErrorCode,
  oauthMetadata,
} from './oauth.ts';
export {
  MCP_CLIENT_ID,
  type OAuthClients,
  proposedTokenName,
  readOAuthClients,
} from './oauth-clients.ts';
export { openApiDocument } from './openapi/document.ts';
export { APPEAL_STATES, Appeal, type AppealState, MOST_REPLY_CHARACTERS } from './operations/appeals.ts';
export type { ApprovalState } from './operations/approvals.ts';
export { AREAS, type Area, areaOf } from './operations/areas.ts';
export { caseWordsIn, MOST_CASE_WORDS } from './operations/cases.ts';
export { type AskedField, CHAT_FIELDS, type FieldKind } from './operations/chat-fields.ts';
export { EXAMPLE_IDS, exampleId } from './operations/example-values.ts';
export {
  type BotOperation,
  type Call,
  CHAT_OPERATION_NAMES,
  type ChatField,
  type ChatOperation,
  type CommandOf,
  callOf,
  canBeDestructive,
  chatEntryOf,
  type DashboardField,
  type DashboardOperation,
  type DestructiveOperation,
  entryOf,
  type FormField,
  type FormOperation,
  type InputOf,
  isBotOperation,
  isDestructive,
  isFormOperation,
  isOperationName,
  isReadOperation,
  isWriteOperation,
  type MenuOperation,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  type OperationThatMayNotFind,
  type OutputOf,
  parseInput,
  REST_OPERATION_NAMES,
  type ReadOperation,
  type RestEntry,
  type RestOperation,
  type StoreOperation,
  tierOf,
  type WriteOperation,
} from './operations/index.ts';
export { type ReadInput, readBody, readQuery } from './operations/input.ts';
export { issuesOf, plainMessage, wordedParams, wordsOf } from './operations/issues.ts';
export { isLongOperation, LONG_OPERATIONS, type LongOperation } from './operations/long-operations.ts';
export { MOST_AT_ONCE, MOST_LINES, SPARED, type Spared } from './operations/many.ts';
export { NOT_FOUND_NOUNS, type NotFoundNoun } from './operations/not-found.ts';
export type {
  Operation,
  PersonIcon,
  SentenceFormatter,
  Sentinel,
  Target,
  Tier,
  ToolEntry,
} from './operations/operation.ts';
export { MOST_REPORT_ANSWER_CHARACTERS, REPORT_STATUSES } from './operations/reports.ts';
export { matchRoute, pathParams, pathTemplate, type RouteMatch } from './operations/route.ts';
export {
  ACTION_STATES,
  ACTOR_SOURCES,
  Action,
  type ActionOutcome,
  type ActionState,
  type ActorSource,
  AUDIT_OUTCOMES,
  type AuditOutcome,
  AuditRow,
  Ban,
  GUILD_TIERS,
  type GuildState,
  Me,
  Member,
  Minutes,
  Moment,
  Mute,
  Purge,
  page,
  RconRun,
  Reason,
  SEVERITIES,
  Server,
  type Severity,
  Strike,
  TICKET_STATUSES,
  Ticket,
  type TicketStatus,
  Timestamp,
  text,
} from './operations/shapes.ts';
export { MOST_TICKET_NOTES } from './operations/ticket-notes.ts';
export { MOST_SUBJECT_CHARACTERS, REOPENED_WITHIN_DAYS } from './operations/tickets.ts';
export { readPeopleList } from './people-list.ts';
export {
  DISCORD_PERMISSIONS,
  type DiscordPermission,
  moderatingPermissions,
  POWER_PERMISSIONS,
  permissionBits,
  permissionTitle,
} from './permissions.ts';
export { type PresetFields, PresetInput } from './presets.ts';
export { isPublicAnswer, PUBLIC_ANSWERS, type PublicAnswer, PublicAnswers } from './public-answers.ts';
export { readScope } from './scope.ts';
export { expectedSentinel, matchesSentinel, normalise } from './sentinel.ts';
export {
  fillTemplate,
  flawOfTemplate,
  GAMES,
  type Game,
  type GameSanction,
  MOST_REASON_IN_GAME,
  MOST_TEMPLATE_CHARACTERS,
  NO_TEMPLATES,
  PLATFORMS_OF_GAME,
  SAMPLE_VALUES,
  type ServerTemplates,
  TEMPLATE_ACTIONS,
  TEMPLATE_PRESETS,
  type TemplateAction,
  type TemplateFault,
} from './server-templates.ts';
export { type ShownCommands, shownCommands } from './shown-commands.ts';
export { isAbove, isSpared, type RolePlace, type TargetQuestion, targetRefusal } from './target-policy.ts';
export {
  DEFAULT_CLOSE_HOURS,
  MOST_CATEGORY_CHARACTERS,
  MOST_CLOSE_HOURS,
  MOST_FEEDBACK_CHARACTERS,
  MOST_OPEN_TICKETS,
  MOST_QUESTION_CHARACTERS,
  MOST_TICKET_ANSWER_CHARACTERS,
  MOST_TICKET_CATEGORIES,
  MOST_TICKET_QUESTIONS,
  MOST_TICKET_ROLES,
  type TicketCategory,
  type TicketSettings,
  type TicketSettingsChanges,
  TicketSettingsInput,
} from './ticket-settings.ts';
export {
  type Bearer,
  bearerSecret,
  hashSecret,
  isSecret,
  lastFour,
  SECRET_BYTES,
  secretFromBytes,
  secretProof,
  TOKEN_PREFIX,
} from './token.ts';
export { dropUnseen, shownName, showUnseen } from './unseen.ts';
