import { send } from '@bailiff/sandbox/visitor';
import { run } from './run.ts';
import { expect } from './testing.ts';

/** Somebody who joins the sample guild now, whom no other test knows. @returns their id */
export async function joined(name: string): Promise<string> {
  const json = { action: 'join', name };
  const { status, body, text } = await send(`${run.sandbox}/sandbox/members`, { method: 'POST', json });
  expect(status, text).toBe(200);
  return (body as { member: { user: { id: string } } }).member.user.id;
}
