import { interact } from './interact.ts';
import { run } from './run.ts';

/** Types a command in chat as somebody of the sample guild. Returns what the bot answers. */
export async function say(command: string, options: object, user = 'owner'): Promise<string> {
  const { message } = await interact(run, { type: 'command', user, command, options });
  return message?.content ?? '';
}
