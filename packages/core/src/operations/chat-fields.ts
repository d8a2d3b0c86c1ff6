import type { ChatField } from './index.ts';

/**
 * How chat gets each field of its commands: which kind of option Discord shows for it, or that the channel of the
 * command decides. A field of the same name means the same in every operation.
 */
export const CHAT_FIELDS = {
  user_id: 'user',
  /** Suggested are those whom the command can release. */
  userId: 'sanctioned_user',
  /** Default: the channel in which the command is used. */
  channel_id: 'channel',
  channelId: 'channel',
  role_id: 'role',
  /** The user gives the number of the case. */
  caseId: 'case_number',
  case_id: 'case_number',
  strikeId: 'strike_number',
  warningId: 'warning_number',
  serverId: 'server',
  server_id: 'server',
  note_id: 'note',
  /** One of the person's. */
  identity_id: 'identity',
  /** The member's code names both. */
  link_id: 'link_code',
  linked_user_id: 'linked_user',
  /** One of those that are running. */
  actionId: 'running_action',
  massId: 'mass_action',
  users: 'people',
  joined_since: 'since',
  since: 'since',
  until: 'since',
  issued_by: 'user',
  words: 'as_typed',
  kind: 'as_typed',
  duration_minutes: 'minutes',
  delete_message_seconds: 'seconds',
  slowmode_seconds: 'seconds',
  ticketId: 'ticket_of_channel',
  ticket_id: 'ticket_of_channel',
  closed_ticket_id: 'closed_ticket',
  limit: 'page_size',
  /** Chat has no next page: to see more, users narrow the list or open the dashboard. */
  cursor: 'never',
  /** The button beneath a page of cases names it. */
  before_number: 'never',
  ticket_category: 'ticket_category',
  /** The form asks for them. */
  answers: 'never',
  /** The menu on a message names it. */
  message_id: 'never',
  reason: 'as_typed',
  severity: 'as_typed',
  active: 'as_typed',
  player_name: 'as_typed',
  in_game_id: 'as_typed',
  platform: 'as_typed',
  category: 'as_typed',
  subject: 'as_typed',
  count: 'as_typed',
  contains: 'as_typed',
  bots_only: 'as_typed',
  before: 'as_typed',
  after: 'as_typed',
  include_pinned: 'as_typed',
  include_left: 'as_typed',
  command: 'as_typed',
  other_number: 'as_typed',
  text: 'as_typed',
  days: 'as_typed',
} as const satisfies Record<ChatField, string>;

export type FieldKind = (typeof CHAT_FIELDS)[ChatField];

/** Kinds of fields that have no option in a command. */
type Unasked = 'linked_user' | 'ticket_of_channel' | 'page_size' | 'never';

/** Fields that have an option in a command, and so need words. */
export type AskedField = {
  [Field in ChatField]: (typeof CHAT_FIELDS)[Field] extends Unasked ? never : Field;
}[ChatField];
