import { ApiError } from '@bailiff/core';
import { type Queryable, sql } from '@bailiff/prisma';
import type { ActionError } from '#src/calls/actions.ts';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { apiErrorOf } from '#src/calls/write-call.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { type Asking, heardUnder, tellWaiting } from './ask-member.ts';
import { lockOwnedGuild } from './guilds.ts';

/** How long the owner waits for Discord's answer to the bot. */
const ANSWER_MS = 8_000;

const askChannelTest = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: 'SELECT ask_channel_test($1, $2, $3)',
});

/**
 * Lets the bot post a test in a channel of a guild that the person owns, with an audit row. Returns when it was posted.
 *
 * @throws ApiError as `ownedGuild`, why the bot could not post it, or UPSTREAM_UNAVAILABLE without an answer in time
 */
export async function testChannel(
  engine: Asking,
  call: DashboardCall,
  guildId: string,
  channelId: string,
): Promise<void> {
  const key = `channel:${call.requestId}`;
  const ask = () =>
    inTransaction(engine.db, async (tx) => {
      await lockOwnedGuild(tx, guildId, call.userId);
      await recordChange(tx, call, {
        guildId,
        operation: 'settings.test',
        target: { type: 'channel', id: channelId },
      });
      await askChannelTest.run(tx, [guildId, channelId, key]);
    });
  const notice = await heardUnder(engine, key, ask, ANSWER_MS);
  if (notice?.kind !== 'channel') {
    throw new ApiError('UPSTREAM_UNAVAILABLE', 'The bot has not answered in time. Look into the channel.', {
      details: { upstream: 'bot', outcome: 'unknown' },
    });
  }
  if (notice.error !== null) throw apiErrorOf(notice.error);
}

/** Tells the owner who waits how the test went. */
export function tellChannelTest(db: Queryable, requestId: string, error: ActionError | null): Promise<void> {
  return tellWaiting(db, { kind: 'channel', request_id: requestId, error });
}
