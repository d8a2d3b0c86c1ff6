import { expect, test } from 'vitest';
import { GuildQueues } from '#src/guild-queues.ts';
import { createLog } from '#src/log.ts';

/** Queues, and what they say of what they left out. */
function queuesFor(isMissed: () => Promise<boolean>) {
  const lines: object[] = [];
  const log = createLog('warn', [], (line) => void lines.push(JSON.parse(line)));
  return { queues: new GuildQueues(log, 'a ban was not recorded', isMissed), lines };
}

/** More work of one guild than waits: 200 pieces do. */
function overfill(queues: GuildQueues): void {
  for (let n = 0; n < 203; n += 1) queues.add('1', () => Promise.resolve());
}

test.each([
  ['where it was worth doing', () => Promise.resolve(true), 1],
  ['where nobody can say that', () => Promise.reject(new Error('Discord is away')), 1],
  ['but not where it was in vain', () => Promise.resolve(false), 0],
])('the log says how much work of a guild was left out %s', async (_where, isMissed, said) => {
  const { queues, lines } = queuesFor(isMissed);
  overfill(queues);
  await queues.idle();
  const line = expect.objectContaining({ msg: 'a ban was not recorded', guild_id: '1', left_out: 3 });
  expect(lines).toEqual(Array(said).fill(line));
});

test('work that comes while it is found out what was missed waits for the work before it', async () => {
  const [asked, known] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
  const { queues } = queuesFor(() => {
    asked.resolve();
    return known.promise;
  });
  overfill(queues);
  await asked.promise;
  const [begun, may] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  queues.add('1', async () => {
    begun.resolve();
    await may.promise;
    order.push('first');
  });
  known.resolve(false);
  await begun.promise;
  queues.add('1', async () => void order.push('second'));
  queues.add('2', async () => may.resolve());
  await queues.idle();
  expect(order).toEqual(['first', 'second']);
});
