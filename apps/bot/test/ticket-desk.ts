import { beforeEach } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { grant, type Stage } from './harness.ts';

/**
 * Gives each test of a file a guild whose moderators take care of tickets and whose helpers read them, and what people do
 * there.
 *
 * @param use gets the stage of the next test
 */
export function ticketsForEachTest(use: (stage: Stage) => void | Promise<void>) {
  let stage: Stage;
  guildForEachTest((next) => {
    stage = next;
    return use(next);
  });
  beforeEach(async () => {
    await grant(stage, 'Moderator', ['tickets.read', 'tickets.write']);
    await grant(stage, 'Helper', ['tickets.read']);
    await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  });

  const interact = (request: Parameters<Stage['sandbox']['control']['interact']>[0]) =>
    stage.sandbox.control.interact(request);

  /** Gives a command, and returns the answer. */
  async function say(user: string, command: string, more: object = {}): Promise<string> {
    const { message } = await interact({ type: 'command', user, command, ...more });
    return message?.content ?? '';
  }

  /** The channel of ticket #1, once it holds this many messages. */
  const channelWith = (count: number) =>
    stage.sandbox.until((state) =>
      state.guilds[0]?.channels.find(({ name, message_count: n }) => name === 'ticket-0001' && n >= count),
    );

  /** Opens ticket #1. Returns its channel. */
  async function open() {
    await say('member', 'ticket open', { options: { subject: 'Griefed' } });
    return channelWith(1);
  }

  /** Closes ticket #1, whose channel is deleted: no answer comes. */
  async function close(channel: string) {
    await interact({ type: 'command', user: 'moderator', command: 'ticket close', channel, wait_ms: 0 });
    await stage.row("SELECT FROM tickets WHERE number = 1 AND status = 'closed'");
  }

  /** Begins no conversation with anybody until a message that this brings about is put off. Then it is due at once. */
  async function putOff(task: string, bringAbout: () => Promise<void>, meanwhile: () => void) {
    const { control } = stage.sandbox;
    control.addFault({ method: 'POST', route: '/users/@me/channels', times: null, status: 503 });
    await bringAbout();
    await stage.row(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = $1
       HAVING count(*) = 1 AND bool_and(run_at > now() AND locked_at IS NULL)`,
      [task],
    );
    control.clearFaults();
    meanwhile();
    await stage.test.database.pool.query(
      `SELECT graphile_worker.add_job($1::text, payload, job_key => key) FROM graphile_worker._private_jobs
       WHERE key LIKE $1::text || ':%'`,
      [task],
    );
  }

  return { interact, say, channelWith, open, close, putOff };
}
