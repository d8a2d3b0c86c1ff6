// What the operator reads of a request of an action that failed.

import { callOf, type InputOf, type WriteOperation } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { performForPerson } from '@bailiff/engine/calls/write-call';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '#src/log.ts';
import { newMember, personOf, refusalOf, type Stage, setStage } from './harness.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly request_id?: string;
  readonly err?: { readonly message: string };
}

const WARN = 40;
const lines: Line[] = [];
let stage: Stage;
beforeAll(async () => {
  const log = createLog('info', [], (line) => lines.push(JSON.parse(line)));
  stage = await setStage({}, {}, { log });
});
afterAll(() => stage.close());

interface Asked {
  readonly operation: WriteOperation;
  readonly input: object;
}

const HTML = { status: 200, body: '<html></html>' };
const REFUSED = { status: 403, body: { message: 'Missing Permissions', code: 50_013 } };
const MEGABYTE = { status: 403, body: { message: 'x'.repeat(1_000_000), code: 50_013 } };

const ban = (): Asked => ({
  operation: 'bans.add',
  input: { user_id: newMember(stage.sandbox), reason: 'x' },
});
const purge = (): Asked => ({
  operation: 'messages.purge',
  input: { channel_id: stage.sandbox.channels.general, count: 5, include_pinned: false },
});
const close = async (): Promise<Asked> => {
  const { body } = await stage.act('tickets.open', 'member', { subject: 'Griefed' });
  const { id } = (body as { ticket: { id: string } }).ticket;
  return { operation: 'tickets.close', input: { ticket_id: id } };
};

test.each([
  ['the look at a member', 'GET /guilds/', ban, { method: 'GET', route: '/guilds/*/members/*', ...HTML }],
  ['a ban', 'PUT /guilds/', ban, { method: 'PUT', route: '/guilds/*/bans/*', ...REFUSED }],
  ['a ban, at length', 'PUT /guilds/', ban, { method: 'PUT', route: '/guilds/*/bans/*', ...MEGABYTE }],
  ['a ban without an answer', 'PUT /guilds/', ban, { method: 'PUT', route: '/guilds/*/bans/*', status: 502 }],
  [
    'the look at messages',
    'GET /channels/',
    purge,
    { method: 'GET', route: '/channels/*/messages', ...HTML },
  ],
  [
    'a deletion',
    'POST /channels/',
    purge,
    { method: 'POST', route: '/channels/*/messages/bulk-delete', ...REFUSED },
  ],
  ['a transcript', 'GET /channels/', close, { method: 'GET', route: '/channels/*/messages', ...REFUSED }],
  [
    'the deletion of a channel',
    'DELETE /channels/',
    close,
    { method: 'DELETE', route: '/channels/*', status: 502 },
  ],
] as const)(
  '%s that fails is one line, with the route and the id of the call',
  async (_what, route, callee, fault) => {
    verifies('bot.failed-requests');
    const { operation, input } = await callee();
    const requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`;
    stage.sandbox.control.addFault({ ...fault, times: null });
    const asked = performForPerson(stage.engine, {
      ...callOf(operation, input as InputOf<WriteOperation>),
      guildId: stage.guildId,
      actor: { source: 'dashboard', userId: personOf(stage.sandbox, 'owner') },
      requestId,
      address: null,
    });
    await refusalOf(asked);
    const told = lines.filter((line) => line.level >= WARN && line.request_id === requestId);
    expect(told.map(({ err }) => err?.message.slice(0, 60))).toEqual([expect.stringContaining(route)]);
    expect(JSON.stringify(told).length).toBeLessThan(10_000);
    stage.sandbox.control.clearFaults();
  },
);
