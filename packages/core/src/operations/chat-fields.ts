import type { ChatField } from './index.ts';

/**
 * How chat takes each field of its commands: by what Discord picks it with, or from where the command is given. A field
 * of one name means the same in every operation.
 */
export const CHAT_FIELDS = {
  user_id: 'user',
  userId: 'user',
  /** Left out, it is the channel where the command is given. */
  channel_id: 'channel',
  /** Given as the number of its case. */
  strikeId: 'case_number',
  serverId: 'server',
  note_id: 'note',
  duration_minutes: 'minutes',
  delete_message_seconds: 'seconds',
  ticketId: 'ticket_of_channel',
  ticket_id: 'ticket_of_channel',
  limit: 'page_size',
  /** Chat has no next page: who needs more asks for less at once, or looks in the dashboard. */
  cursor: 'never',
  reason: 'as_typed',
  severity: 'as_typed',
  active: 'as_typed',
  player_name: 'as_typed',
  in_game_id: 'as_typed',
  category: 'as_typed',
  subject: 'as_typed',
  count: 'as_typed',
  contains: 'as_typed',
  bots_only: 'as_typed',
  before: 'as_typed',
  after: 'as_typed',
  include_pinned: 'as_typed',
  command: 'as_typed',
  number: 'as_typed',
  text: 'as_typed',
} as const satisfies Record<ChatField, string>;

export type FieldKind = (typeof CHAT_FIELDS)[ChatField];

/** Kinds of field that nobody is asked for. */
type Unasked = 'ticket_of_channel' | 'page_size' | 'never';

/** Fields that commands have an option for, and so words. */
export type AskedField = {
  [Field in ChatField]: (typeof CHAT_FIELDS)[Field] extends Unasked ? never : Field;
}[ChatField];
