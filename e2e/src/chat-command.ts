import { send } from '@bailiff/sandbox/visitor';
import { expect } from '@playwright/test';
import { run } from './run.ts';

/** Types a command in chat as somebody of the sample guild, and waits for the bot's answer. */
export async function say(command: string, options: Record<string, string>, user = 'owner'): Promise<void> {
  const json = { type: 'command', user, command, options };
  const { body } = await send(`${run.sandbox}/sandbox/interactions`, { method: 'POST', json });
  expect(body).toMatchObject({ state: 'answered' });
}
