// One trace from a request through the queue and Discord to the answer, in the product as `npm start` starts it.
import { expectedSentinel } from '@bailiff/core';
import { type Collector, type ReceivedSpan, startCollector } from '@bailiff/engine/testing-traces';
import { Owner, send } from '@bailiff/sandbox/visitor';
import { type Instance, startInstance } from '@bailiff/supervisor/instance';
import { apiOf } from '#src/api.ts';
import { interact } from '#src/interact.ts';
import { expect, test, verifies } from '#src/testing.ts';

let collector: Collector;
let instance: Instance;

test.beforeAll(async () => {
  collector = await startCollector();
  instance = await startInstance({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20the%20collector',
    },
  });
});
test.afterAll(async () => {
  await instance.stop();
  collector.close();
});

async function newMember(name: string): Promise<string> {
  const { body } = await send(`${instance.run.sandbox}/sandbox/members`, {
    method: 'POST',
    json: { action: 'join', name },
  });
  return (body as { member: { user: { id: string } } }).member.user.id;
}

/**
 * The spans of a request once its first one has come, which is sent last, and all these parts of it. Of one that was made
 * again, because a slow machine was too late for it, they are those of the last time.
 */
async function traceOf(isFirst: (span: ReceivedSpan) => boolean, parts: string[]) {
  const first = () => collector.spans.findLast((span) => span.parentSpanId === undefined && isFirst(span));
  const of = () => collector.spans.filter(({ traceId }) => traceId === first()?.traceId);
  await expect.poll(() => of().map(({ name }) => name)).toEqual(expect.arrayContaining(parts));
  return { first: first(), spans: of() };
}

test('a ban over the API is one trace through web process, bot and Discord, and names nobody', async () => {
  verifies('ops.traces');
  const { run } = instance;
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const token = await owner.mintWithWindow(run.guild_id, 'traced');
  const target = await newMember('Traced Person');
  await apiOf(run, token.secret).call('bans.add', {
    user_id: target,
    reason: 'a reason that is private',
    _confirmation: expectedSentinel('bans.add', run.guild_id, { user_id: target } as never).concrete,
  });

  const { first, spans } = await traceOf(
    ({ name, attributes }) => name === 'POST bans.add' && attributes['http.response.status_code'] === '201',
    ['submit', 'wait for the bot', 'perform bans.add', 'PUT /guilds/{id}/bans/{id}', 'settle'],
  );
  expect(first).toMatchObject({ service: 'bailiff-web', attributes: { 'bailiff.operation': 'bans.add' } });
  expect(first?.attributes['bailiff.request_id']).toBe(`req_${first?.traceId}`);
  const named = (name: string) => spans.find((span) => span.name === name);
  const performing = named('perform bans.add');
  expect(performing).toMatchObject({ service: 'bailiff-bot', parentSpanId: first?.spanId });
  expect(named('PUT /guilds/{id}/bans/{id}')).toMatchObject({
    service: 'bailiff-bot',
    parentSpanId: performing?.spanId,
  });
  const ids = new Set(spans.map(({ spanId }) => spanId));
  for (const { parentSpanId } of spans) if (parentSpanId !== undefined) expect(ids).toContain(parentSpanId);

  const sent = collector.bodies.join('\n');
  for (const secret of [
    target,
    run.guild_id,
    run.people.owner ?? '',
    'Traced',
    'private',
    token.secret,
    '127.0.0.1',
  ])
    expect(sent).not.toContain(secret);
  expect(collector.headers[0]?.['x-key']).toBe('of the collector');
});

test('a command in chat is one trace from the interaction to its answer', async () => {
  verifies('ops.traces');
  const target = await newMember('Muted Person');
  const options = { user: target, duration: '10 m', reason: 'private' };
  await interact(instance.run, { type: 'command', command: 'mute', user: 'owner', options });
  const { first } = await traceOf(
    ({ name }) => name === 'chat mutes.add',
    ['submit', 'perform mutes.add', 'PATCH /guilds/{id}/members/{id}', 'settle', 'answer in chat'],
  );
  expect(first?.service).toBe('bailiff-bot');
});
