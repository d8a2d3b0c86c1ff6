import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifies } from '@bailiff/core/testing';
import { inTransaction } from '@bailiff/engine/database/transaction';
import pino from 'pino';
import { expect, test } from 'vitest';
import { createDiscordApi } from '#src/discord-api.ts';
import { tellGuild } from '#src/guild-notice.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest({ Moderator: ['strikes.read', 'strikes.write'] }, (made) => {
  stage = made;
});

test('no request that writes a message mentions anybody whom it does not name', async () => {
  verifies('messages.ping-nobody');
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)));
    response.setHeader('content-type', 'application/json').end('{"id":"1","channel_id":"1"}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = createDiscordApi({ token: 'x', apiUrl, log: pino({ level: 'silent' }) });
  const signal = AbortSignal.timeout(30_000);
  const content = '@everyone <@&1> <@2>';
  const quiet = { allowed_mentions: { parse: [] }, content };
  await api.send('POST', '/channels/1/messages', { signal, body: { content } });
  await api.send('PATCH', '/channels/1/messages/2', { signal, body: { content } });
  await api.send('POST', '/webhooks/1/secret', { signal, body: { content } });
  await api.send('PATCH', '/webhooks/1/secret/messages/@original', { signal, body: { content } });
  const named = { content, allowed_mentions: { users: ['2'] } };
  await api.send('POST', '/channels/1/messages', { signal, body: named });
  await api.send('POST', '/channels/1/messages/bulk-delete', { signal, body: { messages: ['1', '2'] } });
  expect(bodies).toEqual([quiet, quiet, quiet, quiet, named, { messages: ['1', '2'] }]);
  server.closeAllConnections();
  server.close();
});

test('hostile words in a reason ping nobody: not in an answer, nor in the log channel or its edit', async () => {
  verifies('messages.ping-nobody');
  const channels = () =>
    stage.sandbox.getState(200).guilds.find(({ id }) => id === stage.guildId)?.channels ?? [];
  const logChannel = channels().find(({ name }) => name === 'mod-log');
  const { moderator = '' } = stage.people;
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    logChannel?.id,
  ]);
  const hostile = `@everyone @here <@&${stage.guildId}> <@${moderator}> <@!${moderator}>`;
  const posts = () => channels().find(({ id }) => id === logChannel?.id)?.messages ?? [];
  const posted = (words: string) => posts().some((post) => JSON.stringify(post).includes(words));
  await stage.says('moderator', 'strike add', {
    user: 'troll',
    severity: 'minor',
    reason: `first ${hostile}`,
  });
  await stage.sandbox.until(() => posted('first'), 60_000, 'a post');
  await stage.says('moderator', 'case edit', { case: '1', reason: `second ${hostile}` });
  const { guildId } = stage;
  await inTransaction(stage.test.database, (tx) =>
    tellGuild(tx, { guildId, about: guildId }, () => `third ${hostile}`),
  );
  await stage.sandbox.until(() => posted('second') && posted('third'), 60_000, 'an edited post');
  const written = channels().flatMap(({ messages }) => messages ?? []);
  expect(
    written.filter(({ content, embeds }) => JSON.stringify([content, embeds]).includes('@here')),
  ).not.toEqual([]);
  for (const { author, mentions, mention_everyone, mention_roles } of written) {
    if (author.bot !== true) continue;
    expect([mentions, mention_everyone, mention_roles]).toEqual([[], false, []]);
  }
});

test('hostile words ping nobody in a direct message and in an answer to a command', async () => {
  verifies('messages.ping-nobody');
  const { moderator = '', troll = '' } = stage.people;
  const reason = `@everyone <@&${stage.guildId}> <@${moderator}>`;
  const options = { user: 'troll', severity: 'minor', reason };
  const struck = { type: 'command', user: 'moderator', command: 'strike add', options } as const;
  await stage.does({ ...struck, channel: 'general' });
  const shown = await stage.does({
    type: 'command',
    user: 'moderator',
    command: 'case show',
    options: { number: '1' },
    channel: 'general',
  });
  const told = () => stage.sandbox.getState().dms.find(({ user_id }) => user_id === troll)?.messages ?? [];
  await stage.sandbox.until(() => told().length === 1, 60_000, 'a direct message');
  for (const message of [shown.message, ...told()]) {
    expect(message?.content).toContain('everyone');
    expect(message).toMatchObject({ mentions: [], mention_everyone: false, mention_roles: [] });
  }
});
