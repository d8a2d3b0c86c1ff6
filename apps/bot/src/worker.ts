import { EventEmitter } from 'node:events';
import type { Engine } from '@bailiff/engine/engine';
import { endDueMeasures } from '@bailiff/engine/guilds/measures';
import { closeDueTickets } from '@bailiff/engine/tickets/close-questions';
import type { ChannelLook } from '@bailiff/engine/tickets/conversations';
import { resumeEscalations } from '@bailiff/engine/worker/escalation-actions';
import { everyStep } from '@bailiff/engine/worker/every-step';
import { type Performers, recoverActions } from '@bailiff/engine/worker/perform-action';
import { MeasureKind, openQueuePool, sql } from '@bailiff/prisma';
import {
  type LogFunctionFactory,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
  type WorkerPool,
} from 'graphile-worker';
import { z } from 'zod';
import { appealTasks } from './appeals/tasks.ts';
import { answerMember, answerMembers, answerPeople } from './ask-member.ts';
import { answerBans } from './ban-list.ts';
import { conversationTasks } from './conversations.ts';
import { wakeBehindQueuedJobs, watchDueJobs } from './due-jobs.ts';
import { endBan } from './ending-bans.ts';
import { endMeasure } from './ending-measures.ts';
import type { TierSettings } from './entitlements.ts';
import { escalateStrike } from './escalation.ts';
import { fetchRemaining } from './evidence.ts';
import { freeHeldJobs } from './held-jobs.ts';
import { endOverdueBans, type JobPayloads } from './jobs.ts';
import type { Logger } from './log.ts';
import type { Watched } from './metrics/watch.ts';
import { learnChannel, learnNames } from './names.ts';
import { followOffers } from './offers.ts';
import { type PerformTasks, performActions } from './perform-jobs.ts';
import { depsIn } from './performers/deps.ts';
import type { PerformerDeps } from './performers/index.ts';
import { welcomeTicket } from './performers/ticket-welcome.ts';
import { postTasks } from './post-tasks.ts';
import { checkServer } from './rcon/game-server.ts';
import { listPlayers } from './rcon/list-players.ts';
import { renewLapsingMutes, renewMute } from './renewing-mutes.ts';
import { hasFilesToPost, reportTasks } from './report-jobs.ts';
import { guildOfCase, SharedPlaces } from './shared-places.ts';
import { askWhoseSession } from './sign-ins.ts';
import { learnSubject } from './subjects.ts';
import { notifyTarget, withdrawAnnouncement } from './target-notices.ts';
import { answerChannelTest } from './test-channel.ts';
import { ticketTasks } from './ticket-jobs.ts';
import { startUpkeep, UPKEEP_CRONTAB, upkeepTasks } from './upkeep.ts';

export interface WorkerSettings extends Partial<Watched> {
  readonly engine: Engine;
  readonly performers: Performers;
  readonly deps: PerformerDeps;
  readonly log: Logger;
  readonly auditReadRetentionDays: number;
  readonly tiers: TierSettings;
  /** Where Discord keeps attached files. */
  readonly fileOrigins: readonly string[];
  /** Compares a guild with Discord, because one of its roles has new grants. */
  readonly mirrorGuild: (guildId: string) => Promise<void>;
  /** Follows a ticket's channel for some minutes, if its events come to this process. */
  readonly lookAt: (look: ChannelLook) => void;
  /** Aborts a start that is still in progress. */
  readonly signal: AbortSignal;
}

export interface Worker {
  /** Takes no new jobs. Resolves when the running ones have finished. */
  stop(): Promise<void>;
}

/** How many jobs of each kind run at once. No kind can take the places of another (decisions: Guilds apart). */
const AT_ONCE = {
  /** One for each game server that has commands, is tested or is asked who is online. */
  servers: 32,
  /** Stretches of work on long actions, of all guilds. Most of their time they wait for Discord's limits. */
  long: 8,
  /**
   * What must happen at its time: the end of a ban, the renewal of a mute, escalations, recovery. A guild has two places
   * for ends and two for the others, so two are left.
   */
  due: 6,
  /** What somebody waits for: who signs in, whether a person is a member, whom a call is about. */
  asked: 4,
  /** Discord tells a bot one name a second, so more at once would only wait. */
  names: 1,
  /** What log channels are told. What has to wait for a channel's limit is put off, and takes no place. */
  posts: 4,
  background: 3,
};
/** So many jobs that send files, and so many that fetch some, run in `background` at once: they may be slow. */
const MOST_WITH_FILES = 1;
/**
 * Connections of all runners together, besides the one on which each listens. One is used to take a job and to end it,
 * which is over in a millisecond, and not in between.
 */
const QUEUE_CONNECTIONS = 5;
/** How often an idle place looks by itself. Jobs are told of when they come, and when they are due (due-jobs.ts). */
const POLL_INTERVAL_MS = 5 * 60_000;
const JOB_TIMEOUT_MS = 8_000;

const DUE_CRONTAB = `
* * * * * recover ?jobKey=recover&max=1&priority=-10
20 * * * * overdue_bans ?jobKey=overdue_bans&max=1`;
/** In case the last job looked a moment before somebody appeared. */
const NAMES_CRONTAB = `
7,17,27,37,47,57 * * * * learn_names ?jobKey=learn_names&max=5`;
/**
 * The jobs that graphile-worker starts, and when, in UTC. Runs missed while no bot was running are made up for at the
 * start.
 */
export const CRONTAB = `${DUE_CRONTAB}\n${NAMES_CRONTAB}\n${UPKEEP_CRONTAB}`;

const unlockJobs = sql.command({
  parameters: [sql.arrayOf(sql.text)],
  text: 'SELECT graphile_worker.force_unlock_workers($1)',
});

/** Starts performing actions and scheduled jobs from the queue that all processes share. */
export async function startWorker(settings: WorkerSettings): Promise<Worker> {
  const { engine, log, meter } = settings;
  const events: WorkerEvents = new EventEmitter();
  const pools: WorkerPool[] = [];
  events.on('pool:create', ({ workerPool }) => pools.push(workerPool));
  events.on('job:success', ({ job }) => meter?.job(job.task_identifier, 'done'));
  events.on('job:error', ({ job }) => meter?.job(job.task_identifier, 'failed'));
  const queue = openQueuePool(engine.db.url, {
    applicationName: 'bailiff bot queue',
    max: QUEUE_CONNECTIONS + Object.keys(AT_ONCE).length,
    onError: (error) => log.warn({ err: error }, 'a database connection of the queue was lost'),
  });
  const shared = {
    events,
    pgPool: queue.pool,
    pollInterval: POLL_INTERVAL_MS,
    noHandleSignals: true,
    logger: new WorkerLogger(logTo(log)),
  };
  const { pool } = engine.db;
  const closing = new AbortController();
  wakeBehindQueuedJobs(events, pool, { log, closing: closing.signal });
  await startUpkeep(settings);
  const performing = performActions({
    db: engine.db,
    performers: settings.performers,
    log,
    closing: closing.signal,
    meter,
    tracer: settings.tracer,
  });
  const { perform_in_queue, continue_action } = performing.tasks;
  const tasks = backgroundTasks(settings, closing.signal);
  const { check_server, list_players, end_ban, end_measure, renew_mute, escalate, recover, ...waiting } =
    tasks;
  const { overdue_bans, learn_names, ...others } = waiting;
  const {
    ask_member,
    ask_members,
    ask_people,
    test_channel,
    list_bans,
    confirm_session,
    learn_subject,
    learn_channel,
    ...background
  } = others;
  const runners: Runner[] = [];
  const workersByTask = new Map<string, WorkerPool>();
  const start = async (kind: keyof typeof AT_ONCE, taskList: TaskList, crontab?: string) => {
    const concurrency = AT_ONCE[kind];
    const schedule = crontab === undefined ? { parsedCronItems: [] } : { crontab };
    runners.push(await run({ ...shared, ...schedule, concurrency, taskList }));
    const workers = pools.at(-1);
    for (const task of Object.keys(taskList)) if (workers !== undefined) workersByTask.set(task, workers);
  };
  try {
    await start('servers', { perform_in_queue, check_server, list_players });
    await start('long', { continue_action });
    const ends = new SharedPlaces(pool);
    // A renewal or an escalation does not wait behind a thousand ends.
    const others = new SharedPlaces(pool);
    const ofCase = (payload: unknown) => guildOfCase(pool, CaseJob.parse(payload).case_id);
    const ofStrike = (payload: unknown) => guildOfCase(pool, StrikeJob.parse(payload).strike_id);
    const ofMeasure = async (payload: unknown) => MeasureJob.parse(payload).guild_id;
    const due = {
      end_ban: ends.sharing(ofCase, end_ban),
      end_measure: ends.sharing(ofMeasure, end_measure),
      renew_mute: others.sharing(ofCase, renew_mute),
      escalate: others.sharing(ofStrike, escalate),
      recover,
      overdue_bans,
    };
    await start('due', due, DUE_CRONTAB);
    await start('asked', {
      ask_member,
      ask_members,
      ask_people,
      test_channel,
      list_bans,
      ...conversationTasks(settings.deps, settings.lookAt, JOB_TIMEOUT_MS),
      confirm_session,
      learn_subject,
      learn_channel,
    });
    await start('names', { learn_names }, NAMES_CRONTAB);
    await start('posts', postTasks(settings.deps, JOB_TIMEOUT_MS));
    const files = new SharedPlaces(pool, MOST_WITH_FILES);
    const ofReport = async (job: unknown) => ((await hasFilesToPost(engine.db, job)) ? 'sent' : null);
    const withFiles = {
      post_report: files.sharing(ofReport, background.post_report),
      send_transcript: files.sharing(async () => 'sent', background.send_transcript),
      fetch_evidence: files.sharing(async () => 'fetched', background.fetch_evidence),
    };
    await start('background', { ...background, ...withFiles }, UPKEEP_CRONTAB);
  } catch (error) {
    await Promise.all(runners.map((runner) => runner.stop()));
    await queue.close();
    throw error;
  }
  const dueJobs = watchDueJobs(pool, log, (task) => workersByTask.get(task));
  let stopping = false;
  for (const runner of runners) {
    const endsTheProcess = () => {
      if (!stopping)
        throw new Error('The queue has stopped by itself; no jobs would be done until a restart.');
    };
    void runner.promise.then(endsTheProcess, endsTheProcess);
  }
  const offers = await followOffers({ db: engine.db, log, onSilence: () => queue.cut() }, performing.offer);
  return {
    stop: async () => {
      stopping = true;
      closing.abort();
      await Promise.all([offers.stop(), dueJobs.stop()]);
      await Promise.all(runners.map((runner) => runner.stop()));
      await performing.idle();
      // A job that was being fetched at that moment is locked together with its queue, and nobody will run it.
      await unlockJobs.run(pool, [pools.map(({ id }) => id)]);
      await queue.close();
    },
  };
}

const ActionJob = z.object({ action_id: z.string() });
const CaseJob = z.object({ case_id: z.string() });
const MeasureJob = z.object({
  guild_id: z.string(),
  kind: z.enum(MeasureKind),
  subject_id: z.string(),
  follows: z.boolean().optional(),
});
const ApprovalJob = z.object({ approval_id: z.string() });
const StrikeJob = z.object({ strike_id: z.string() });
const SessionJob = z.object({ session: z.string() });
const ServerJob = z.object({ server_id: z.string() });
const TicketJob = z.object({ ticket_id: z.string() });
/** A job for a caller who waits for its answer. */
const AskedJob = z.object({ guild_id: z.string(), request_id: z.string(), asked_at: z.string() });
const MemberJob = AskedJob.extend({ user_id: z.string() });
const BansJob = AskedJob.extend({ import_id: z.string(), after: z.string() });
const ChannelTestJob = AskedJob.extend({ channel_id: z.string() });
const PeopleJob = AskedJob.extend({ query: z.string() });
const MembersJob = AskedJob.extend({ after: z.string() });
const GuildJob = z.object({ guild_id: z.string() });
const ChannelJob = z.object({ guild_id: z.string(), channel_id: z.string() });

type BackgroundTask = Exclude<keyof JobPayloads, keyof PerformTasks | keyof ReturnType<typeof postTasks>>;

function backgroundTasks(
  settings: WorkerSettings,
  closing: AbortSignal,
): Record<BackgroundTask, (payload: unknown) => Promise<void>> {
  const { engine, performers, deps, log } = settings;
  return {
    recover: () =>
      everyStep([
        () => freeHeldJobs(engine.db.pool),
        () => recoverActions(engine.db, performers, log),
        () => resumeEscalations(engine.db),
      ]),
    end_ban: (payload) =>
      endBan(settings, CaseJob.parse(payload).case_id, AbortSignal.timeout(JOB_TIMEOUT_MS)),
    overdue_bans: () =>
      everyStep(
        [endOverdueBans, endDueMeasures, closeDueTickets, renewLapsingMutes].map(
          (queue) => () => queue(engine.db.pool),
        ),
      ),
    end_measure: (payload) => endMeasure(settings, MeasureJob.parse(payload)),
    renew_mute: (payload) =>
      renewMute(deps, CaseJob.parse(payload).case_id, AbortSignal.timeout(JOB_TIMEOUT_MS)),
    escalate: (payload) => escalateStrike(engine, deps, StrikeJob.parse(payload).strike_id),
    ask_member: (payload) =>
      answerMember(deps, MemberJob.parse(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    ask_members: (payload) =>
      answerMembers(deps, MembersJob.parse(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    ask_people: (payload) =>
      answerPeople(deps, PeopleJob.parse(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    test_channel: (payload) => {
      const job = ChannelTestJob.parse(payload);
      return answerChannelTest(depsIn(deps, job.guild_id), job, AbortSignal.timeout(JOB_TIMEOUT_MS));
    },
    list_bans: (payload) => answerBans(deps, BansJob.parse(payload), AbortSignal.timeout(JOB_TIMEOUT_MS)),
    learn_names: () => learnNames(deps, closing),
    learn_subject: (payload) =>
      learnSubject(deps, ApprovalJob.parse(payload).approval_id, AbortSignal.timeout(JOB_TIMEOUT_MS)),
    learn_channel: (payload) => {
      const { guild_id: guildId, channel_id: channelId } = ChannelJob.parse(payload);
      return learnChannel(depsIn(deps, guildId), { guildId, channelId }, AbortSignal.timeout(JOB_TIMEOUT_MS));
    },
    check_server: (payload) => checkServer(deps, ServerJob.parse(payload).server_id),
    list_players: (payload) => listPlayers(deps, ServerJob.parse(payload).server_id),
    confirm_session: (payload) =>
      askWhoseSession(
        { ...deps, applicationId: settings.tiers.applicationId },
        SessionJob.parse(payload).session,
        AbortSignal.timeout(JOB_TIMEOUT_MS),
      ),
    ...appealTasks(deps, JOB_TIMEOUT_MS),
    fetch_evidence: (payload) =>
      fetchRemaining(
        { ...deps, fileOrigins: settings.fileOrigins },
        ActionJob.parse(payload).action_id,
        closing,
      ),
    withdraw_announcement: (payload) =>
      withdrawAnnouncement(deps, ActionJob.parse(payload).action_id, AbortSignal.timeout(JOB_TIMEOUT_MS)),
    tell_target: (payload) => notifyTarget(deps, CaseJob.parse(payload).case_id),
    welcome_ticket: (payload) =>
      welcomeTicket(deps, TicketJob.parse(payload).ticket_id, AbortSignal.timeout(JOB_TIMEOUT_MS)),
    ...ticketTasks(engine, deps),
    ...reportTasks({ ...deps, fileOrigins: settings.fileOrigins, closing }),
    mirror_guild: (payload) => settings.mirrorGuild(GuildJob.parse(payload).guild_id),
    ...upkeepTasks({ ...settings, api: deps.api, paces: deps.paces }),
  };
}

function logTo(log: Logger): LogFunctionFactory {
  return () => (level, message, meta) => {
    const fields = { detail: meta?.error ?? undefined };
    // It warns of fewer connections than jobs at once, which are meant to be so (QUEUE_CONNECTIONS).
    const isMeant = meta !== undefined && 'max' in meta && 'concurrency' in meta;
    if (level === 'error') log.error(fields, message);
    else if (level === 'warning' && !isMeant) log.warn(fields, message);
    else log.debug(message);
  };
}
