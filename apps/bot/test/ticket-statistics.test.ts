import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import type { Stage } from './harness.ts';
import { ticketsForEachTest } from './ticket-desk.ts';

let stage: Stage;
const { close, open, say } = ticketsForEachTest((next) => {
  stage = next;
});

test('/ticket stats says how long tickets took, from what was written in them, to who may read tickets', async () => {
  verifies('tickets.stats.chat');
  expect(await say('moderator', 'ticket stats')).toBe(
    '**Tickets in the last 30 days**\n0 opened, 0 closed, 0 open now',
  );
  const { id: channel } = await open();
  expect(await say('helper', 'ticket stats', { options: { days: 1 } })).toBe(
    '**Tickets in the last day**\n1 opened, 0 closed, 1 open now',
  );
  await say('moderator', 'ticket claim', { channel });
  stage.sandbox.control.messages({ user: 'member', channel, content: 'Hello?' });
  stage.sandbox.control.messages({ user: 'moderator', channel, content: 'I look at it.' });
  await close(channel);
  // The bot wrote before: that is no answer.
  await stage.row(
    `SELECT FROM tickets, jsonb_array_elements(transcript) AS m
     WHERE m->>'text' = 'I look at it.' AND (m->>'sent_at')::timestamptz(3) = answered_at`,
  );
  await stage.test.database.pool.query(
    `UPDATE tickets SET opened_at = now() - interval '2 days', answered_at = now() - interval '47 hours',
       closed_at = now() - interval '1 hour', category = 'Griefing'`,
  );
  const { moderator } = stage.people;
  expect((await say('moderator', 'ticket stats')).split('\n')).toEqual([
    '**Tickets in the last 30 days**',
    '1 opened, 1 closed, 0 open now',
    'first answer after 1 hour',
    'closed after 47 hours',
    '**By category**',
    'Griefing: 1 opened, 1 closed, first answer after 1 hour, closed after 47 hours',
    '**By who worked on them**',
    `<@${moderator}>: 1 closed, first answer after 1 hour, closed after 47 hours`,
  ]);
  expect(await say('member', 'ticket stats')).toMatch(/^Not done\. .*tickets\.read/);
});
