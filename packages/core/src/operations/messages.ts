import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { list } from './list.ts';
import { operation, yesOrNo } from './operation.ts';
import { Moment, Purge, PurgedMessage, Reason, text } from './shapes.ts';

const MessageOrMoment = z.union([Snowflake, Moment], {
  error:
    'must be a message id, or a time in ISO 8601 UTC between 2015 and 2099, such as 2026-01-31T12:00:00Z',
});

export const messages = {
  'messages.purge': operation({
    summary: 'Delete the latest messages of a channel that fit the filters; they are archived for 30 days',
    http: { method: 'POST', path: '/mass-purge', success: 200 },
    tool: { name: 'purge_messages' },
    chat: { command: 'purge', shownTo: 'ManageMessages', menus: ['message'] },
    capability: 'messages.purge',
    tier: 'destructive_write',
    performedBy: 'bot',
    // Connect for the text of voice channels; Manage Threads for private threads.
    botPermissions: ['ViewChannel', 'ManageMessages', 'ReadMessageHistory', 'Connect', 'ManageThreads'],
    input: z.strictObject({
      channel_id: Snowflake,
      count: z.int().min(1).max(1000).describe('How many messages at most'),
      user_id: Snowflake.optional().describe('Only messages of this user'),
      contains: text(200).optional().describe('Only messages with this text'),
      bots_only: z.boolean().optional().describe('Only messages of bots'),
      before: MessageOrMoment.optional().describe('Only messages before this message id or time'),
      after: MessageOrMoment.optional().describe('Only messages after this message id or time'),
      include_pinned: z.boolean().default(false).describe('Delete pinned messages too'),
      reason: Reason.optional(),
    }),
    output: z.object({ purge: Purge }),
    example: {
      input: {
        channel_id: EXAMPLE_IDS.channel,
        count: 50,
        user_id: EXAMPLE_IDS.user,
        contains: 'free nitro',
        reason: 'Scam links',
      },
      output: {
        purge: {
          requested: 50,
          deleted: 48,
          skipped_pinned: 1,
          skipped_too_old: 1,
          archive_id: exampleId('archive'),
        },
      },
    },
    notFound: 'channel',
    sentinel: { template: 'PURGE {count} MESSAGES IN CHANNEL {channel_id} IN GUILD {guildId}' },
    sentence: (input, say) => ({
      count: input.count,
      channel: say.name('channel', input.channel_id),
      hasUser: yesOrNo(input.user_id !== undefined),
      user: say.name('user', input.user_id ?? ''),
      botsOnly: yesOrNo(input.bots_only === true),
      hasText: yesOrNo(input.contains !== undefined),
      text: say.quote(input.contains),
      hasBefore: yesOrNo(input.before !== undefined),
      before: input.before ?? '',
      hasAfter: yesOrNo(input.after !== undefined),
      after: input.after ?? '',
      withPinned: yesOrNo(input.include_pinned),
      reasoned: yesOrNo(input.reason !== undefined),
      reason: say.quote(input.reason),
    }),
    target: ({ channel_id }) => ({ type: 'channel', id: channel_id }),
  }),
  'messages.archive': operation({
    summary: 'Read the messages that a purge deleted, newest first, while they are kept',
    http: { method: 'GET', path: '/archives/{archiveId}', success: 200 },
    tool: { name: 'get_purged_messages' },
    capability: 'messages.purge',
    ...list(PurgedMessage, {
      filters: { archiveId: id('archive') },
      asked: { archiveId: exampleId('archive') },
      found: [
        {
          id: EXAMPLE_IDS.message,
          author_id: EXAMPLE_IDS.user,
          author_name: 'nightcrawler',
          author_is_bot: false,
          sent_at: ISSUED_AT,
          text: 'free nitro at example.com',
          attachments: ['nitro.png'],
          reply_to: null,
        },
      ],
    }),
    notFound: 'archive',
    target: ({ archiveId }) => ({ type: 'archive', id: archiveId }),
  }),
};
