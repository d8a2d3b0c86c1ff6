import { Client, GatewayDispatchEvents as Event } from 'discord.js';
import { expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { followTicketChannels } from '#src/ticket-channels.ts';

test('of guilds without end 20,000 wait until tickets without a channel are closed, and the log names the others', () => {
  const lines: object[] = [];
  const log = createLog('warn', [], (line) => lines.push(JSON.parse(line)));
  const client = new Client({ intents: [] });
  // What the process could not do before it ended still waits.
  const { waitingIn } = followTicketChannels(client, { log } as never, AbortSignal.abort());
  for (let guild = 1; guild <= 20_001; guild += 1) {
    client.ws.emit(Event.ChannelDelete, { id: '9', guild_id: String(guild) });
  }
  expect(waitingIn()).toHaveLength(20_000);
  const msg = 'too many guilds wait until tickets without a channel are closed';
  expect(lines).toEqual([expect.objectContaining({ msg, guild_id: '20001' })]);
});
