import { expect, test } from 'vitest';
import { everyStep } from '#src/worker/every-step.ts';

test('steps run one after the other, also behind one that failed, and then all reasons are told', async () => {
  const ran: string[] = [];
  const step = (name: string, failure?: unknown) => async () => {
    ran.push(`${name} begins`);
    await Promise.resolve();
    ran.push(`${name} ends`);
    if (failure !== undefined) throw failure;
  };
  const lost = new Error('the database is away');
  const steps = everyStep([step('first', lost), step('second'), step('third', 'no')]);
  await expect(steps).rejects.toMatchObject({
    message: '2 of 3 steps failed: the database is away; no',
    errors: [lost, 'no'],
  });
  expect(ran).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(await everyStep([step('alone')])).toBeUndefined();
});
