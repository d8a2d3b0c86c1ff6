import { isOperationName } from '@bailiff/core';
import type { Metrics } from '@bailiff/engine/metrics/serve-metrics';
import type { DirectMessageState } from '#src/direct-message.ts';
import type { DiscordFailure } from '#src/discord-api.ts';

/** Counts what a bot does. */
export interface BotMeter {
  /** An action that this bot has performed, from the moment it heard of it. */
  action(operation: string, state: string, seconds: number): void;
  job(task: string, result: 'done' | 'failed'): void;
  /** `limited`: Discord's limits do not admit it yet. */
  discord(method: string, result: 'ok' | 'limited' | DiscordFailure['kind']): void;
  message(state: DirectMessageState): void;
}

/** From a strike without a message to the deadline of a caller. */
const BUCKETS_SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 60];

/** A meter that adds to the process's metrics. Its labels have few values: never an id of a guild or person. */
export function createBotMeter({ prometheus, registry }: Metrics): BotMeter {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new prometheus.Counter({ name, help, labelNames, registers });
  const actions = counter(
    'bailiff_actions_performed_total',
    'Actions that this bot performed, by how they ended.',
    ['operation', 'state'],
  );
  const durations = new prometheus.Histogram({
    name: 'bailiff_action_duration_seconds',
    help: "How long actions took in this bot, with the wait for their guild's turn.",
    labelNames: ['operation'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
  const jobs = counter('bailiff_jobs_ended_total', 'Attempts at jobs that this bot ended.', [
    'task',
    'result',
  ]);
  const requests = counter('bailiff_discord_requests_total', 'Requests to Discord, by what became of them.', [
    'method',
    'result',
  ]);
  const messages = counter(
    'bailiff_direct_messages_total',
    'Direct messages to people, by what became of them.',
    ['state'],
  );
  return {
    action: (name, state, seconds) => {
      // The web process can send offers too, with whatever name.
      const operation = isOperationName(name) ? name : 'other';
      actions.inc({ operation, state });
      durations.observe({ operation }, seconds);
    },
    job: (task, result) => jobs.inc({ task, result }),
    discord: (method, result) => requests.inc({ method, result }),
    message: (state) => messages.inc({ state }),
  };
}
