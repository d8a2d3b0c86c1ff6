// How often pages may look into the channels of tickets.
import { verifies } from '@bailiff/core/testing';
import type { SeededGuild } from '@bailiff/engine/testing';
import { expect, test } from 'vitest';
import { conversationFor } from '#src/conversations.ts';
import { sessionOf } from '#src/session.ts';
import { guildForEachTest } from './each-test.ts';
import { exhaust, type Person, type TestWeb, windowSeconds } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

async function look(): Promise<unknown> {
  const session = await sessionOf(web.runtime, new Headers({ Cookie: owner.cookie }));
  if (session === null) throw new Error('Nobody is signed in.');
  const ticketId = `tkt_${'0'.repeat(32)}`;
  return conversationFor(web.runtime, session, { guildId: guild.id, ticketId, before: null });
}

test.each([
  ['person', () => `conversations:${guild.ownerId}`, 60],
  ['guild', () => `conversations of a guild:${guild.id}`, 120],
])(
  'who looks too often for a %s is told when to look again, and Discord is not asked',
  async (_whose, key, most) => {
    verifies('tickets.conversation');
    await exhaust(web.db, key(), most - 1);
    expect(await look()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await windowSeconds(web, key())).toBe(60);
    expect(await look()).toMatchObject({
      error: { code: 'RATE_LIMITED', details: { scope: 'session', retry_after_seconds: expect.any(Number) } },
    });
  },
);
