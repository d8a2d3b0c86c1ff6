// What the bot and the process that started it tell each other, so that one bot takes the place of another.
import { once } from 'node:events';
import { z } from 'zod';
import type { Bot } from './bot.ts';
import { Handover } from './handover.ts';
import type { Logger } from './log.ts';

/** What the bot is told: to hand its shards over, or to connect, with what was handed over if there is something. */
const ToBot = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hand_over') }),
  z.object({ type: z.literal('take_over'), handover: Handover.nullable() }),
]);

/** What the bot says: that only Discord is missing, or what another bot needs to go on. */
type FromBot =
  | { readonly type: 'standby' }
  | { readonly type: 'handed_over'; readonly handover: Handover | null };

type Channel = Pick<NodeJS.Process, 'send'> & NodeJS.EventEmitter;

/** Says that only Discord is missing, and waits until this process may connect. */
export async function standBy(parent: Channel, signal: AbortSignal): Promise<Handover | null> {
  const said = once(parent, 'message', { signal });
  tell(parent, { type: 'standby' });
  const message = ToBot.parse((await said)[0]);
  return message.type === 'take_over' ? message.handover : null;
}

/** Hands the shards over when the parent process asks for it. A bot that cannot says so, and another begins anew. */
export function whenAsked(
  parent: Channel,
  { starting, log }: { starting: Promise<Pick<Bot, 'handOver'>>; log: Logger },
): void {
  parent.on('message', (given: unknown) => {
    const message = ToBot.safeParse(given);
    if (message.data?.type !== 'hand_over') return;
    void starting
      .then((bot) => bot.handOver())
      .catch((error: unknown) => {
        log.error({ err: error }, 'the shards could not be handed over');
        return null;
      })
      .then((handover) => tell(parent, { type: 'handed_over', handover }));
  });
}

function tell(parent: Channel, message: FromBot): void {
  parent.send?.(message);
}
