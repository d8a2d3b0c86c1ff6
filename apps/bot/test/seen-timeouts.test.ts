import { createTestDatabase } from '@bailiff/prisma/testing';
import { Client, GatewayDispatchEvents as Event } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { followSeenTimeouts } from '#src/seen-timeouts.ts';
import { apiAnswering } from './answering.ts';

test('of members who change all at once, five thousand wait to be compared, and of the others is said how many', async () => {
  const { database, drop } = await createTestDatabase();
  onTestFinished(() => drop());
  const lines: string[] = [];
  const log = createLog('info', [], (line) => void lines.push(line));
  const client = new Client({ intents: [] });
  const api = await apiAnswering((response) => response.writeHead(404).end());
  const seeing = followSeenTimeouts(client, { db: database, api, log });
  const changes = (userId: string) =>
    client.ws.emit(Event.GuildMemberUpdate, {
      guild_id: '1',
      user: { id: userId },
      communication_disabled_until: null,
    });
  // The first is compared at once, and the others wait for that.
  for (let member = 1; member <= 5_004; member += 1) changes(String(member));
  await seeing.idle();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ events: 3 }]);
  lines.length = 0;
  changes('6000');
  await seeing.idle();
  expect(lines).toEqual([]);
  await seeing.close();
});
