import { LOG_TOPICS } from '@bailiff/core';
import { sql } from '@bailiff/prisma';
import type { Task } from 'graphile-worker';
import { z } from 'zod';
import { ClosedChannels } from './closed-channels.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import { noticeTasks } from './guild-notice.ts';
import { joinTasks } from './join-alerts.ts';
import { postAction } from './log-actions.ts';
import { LONGEST_WAIT_MS, type LogChannelDeps, openLogChannel, postCase } from './log-channel.ts';
import { hasToWait } from './performers/long-requests.ts';
import { type PostJob, PostLines } from './post-lines.ts';
import { nameOf, putOff } from './put-off.ts';
import { wordsTasks } from './words-alerts.ts';

type PostTask = 'post_case' | 'post_action' | 'open_log_channel' | 'post_join' | 'post_words' | 'tell_guild';

/** For a post whose place in the line was counted with posts that are gone. */
const SOON_MS = 1_000;

const GuildJob = z.object({ guild_id: z.string() });
const CaseJob = z.object({ case_id: z.string() });
const ActionJob = GuildJob.extend({ action_id: z.string() });
const ChannelJob = GuildJob.extend({ topic: z.enum(LOG_TOPICS).optional() });

/** Those of the names under which a job waits or runs. A job runs for some seconds; one that was held longer is dead. */
const queuedJobs = sql.statement({
  parameters: [sql.arrayOf(sql.text)],
  columns: { key: sql.text.neverNull },
  text: `SELECT key FROM graphile_worker._private_jobs WHERE key = ANY ($1) AND CASE WHEN locked_at IS NULL
    THEN attempts < max_attempts ELSE locked_at > clock_timestamp() - interval '1 minute' END`,
});

/** The jobs that tell log channels. What Discord's limits keep back is put off, and holds no place of others' posts. */
export function postTasks(given: Omit<LogChannelDeps, 'closed'>, timeoutMs: number): Record<PostTask, Task> {
  const deps = { ...given, closed: new ClosedChannels() };
  const lines = new PostLines();
  const inLine = (work: (deps: LogChannelDeps, payload: unknown) => Promise<void>) =>
    taskInLine(deps, lines, work);
  return {
    post_case: inLine((inTurn, payload) =>
      postCase(inTurn, CaseJob.parse(payload).case_id, AbortSignal.timeout(timeoutMs)),
    ),
    post_action: inLine((inTurn, payload) => {
      const { guild_id: guildId, action_id: actionId } = ActionJob.parse(payload);
      return postAction(inTurn, { guildId, actionId }, AbortSignal.timeout(timeoutMs));
    }),
    open_log_channel: inLine((inTurn, payload) => {
      const { guild_id: guildId, topic } = ChannelJob.parse(payload);
      return openLogChannel(inTurn, guildId, topic ?? null, AbortSignal.timeout(timeoutMs));
    }),
    post_join: inLine((inTurn, payload) => joinTasks(inTurn, timeoutMs).post_join(payload)),
    post_words: inLine((inTurn, payload) => wordsTasks(inTurn, timeoutMs).post_words(payload)),
    tell_guild: inLine((inTurn, payload) => noticeTasks(inTurn, timeoutMs).tell_guild(payload)),
  };
}

function taskInLine(
  deps: LogChannelDeps,
  lines: PostLines,
  work: (deps: LogChannelDeps, payload: unknown) => Promise<void>,
): Task {
  const { pool } = deps.db;
  return async (payload, { job: running }) => {
    const job = { key: nameOf(running), id: BigInt(running.id) };
    try {
      await work({ ...deps, api: apiInTurn(deps.api, lines, job) }, payload);
      lines.leave(job.key);
    } catch (error) {
      if (!hasToWait(error)) {
        lines.leave(job.key);
        throw error;
      }
      const overdue = lines.overdueBeside(job.key);
      const queued = await queuedJobs.all(pool, [overdue]);
      const gone = overdue.filter((each) => !queued.some((row) => row.key === each));
      for (const each of gone) lines.leave(each);
      // Without those the line is shorter, so its turn may come sooner than was counted.
      const waitMs = gone.length > 0 ? SOON_MS : error.retryAfterMs;
      await putOff(pool, running, waitMs);
    }
  };
}

/** The API for one post. What would have to wait fails, and says for how long to put it off. */
function apiInTurn(api: DiscordApi, lines: PostLines, job: PostJob): DiscordApi {
  const waits = { longestWaitMs: LONGEST_WAIT_MS };
  const putOff = (method: string, route: string, retryAfterMs: number) =>
    new DiscordFailure('not_sent', `${method} ${route} is put off`, { status: 429, retryAfterMs });
  const requireTurn = (method: string, route: string) => {
    const waitMs = method === 'POST' ? lines.waitMs(route, job) : 0;
    if (waitMs > 0) throw putOff(method, route, waitMs);
  };
  const standing = (method: string, route: string, error: unknown) =>
    method === 'POST' && hasToWait(error)
      ? putOff(method, route, lines.standIn(route, job, error.retryAfterMs))
      : error;
  // After a lost answer the message may be there. Its repetition waits here, so that Discord still knows its nonce.
  let isRepetition = false;
  return {
    get: (route, options) => api.get(route, { ...options, ...waits }),
    send: async (method, route, options) => {
      if (isRepetition) return api.send(method, route, options);
      requireTurn(method, route);
      try {
        return await api.send(method, route, { ...options, ...waits });
      } catch (error) {
        isRepetition = error instanceof DiscordFailure && error.kind === 'unclear';
        throw standing(method, route, error);
      }
    },
    checkLimits: (method, route, withinMs) => {
      requireTurn(method, route);
      try {
        api.checkLimits(method, route, withinMs);
      } catch (error) {
        throw standing(method, route, error);
      }
    },
  };
}
