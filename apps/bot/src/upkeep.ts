import { postUnfinishedAppeals } from '@bailiff/engine/appeals/appeal-posts';
import { endLapsedAppeals } from '@bailiff/engine/appeals/appeals';
import type { Engine } from '@bailiff/engine/engine';
import { forgetDeletedGuilds } from '@bailiff/engine/guilds/forget';
import { endDueMeasures } from '@bailiff/engine/guilds/measures';
import { closeDueTickets } from '@bailiff/engine/tickets/close-questions';
import { sweepLostCapabilities } from '@bailiff/engine/tokens/grace';
import { requireRotation } from '@bailiff/engine/tokens/rotation';
import { everyStep } from '@bailiff/engine/worker/every-step';
import { dropLapsed } from '@bailiff/engine/worker/housekeeping';
import { sql } from '@bailiff/prisma';
import { z } from 'zod';
import type { DiscordApi } from './discord-api.ts';
import { checkGuildTier, sweepTiers, type TierSettings } from './entitlements.ts';
import { checkIssuers } from './issuers.ts';
import { checkTiersSoon, endOverdueBans, recoverAfterLeases, recoverSoon, resumeCases } from './jobs.ts';
import type { Logger } from './log.ts';
import { scheduleNotices, sendNotice } from './notices.ts';
import type { Paces } from './pacing.ts';
import { retryWithBackoff } from './retry.ts';

// When the jobs run, in UTC. A missed nightly run is made up for within a day. For the other jobs the next run finds
// the same work.
export const UPKEEP_CRONTAB = `
* * * * * check_issuers ?jobKey=check_issuers&max=1
* * * * * lost_capabilities ?jobKey=lost_capabilities&max=1
*/5 * * * * tiers ?jobKey=tiers&max=1
0 3 * * * require_rotation ?jobKey=require_rotation&fill=1d
10 * * * * audit_partitions ?jobKey=audit_partitions
30 * * * * housekeeping ?jobKey=housekeeping&max=1
`;

type UpkeepTask =
  | 'check_issuers'
  | 'lost_capabilities'
  | 'require_rotation'
  | 'rotation_notice'
  | 'tiers'
  | 'guild_tier'
  | 'audit_partitions'
  | 'housekeeping';

export interface UpkeepDeps {
  readonly engine: Engine;
  readonly api: DiscordApi;
  readonly paces: Paces;
  readonly log: Logger;
  readonly tiers: TierSettings;
  readonly auditReadRetentionDays: number;
}

/** A run asks Discord one thing after the other, and ends if that takes long. The next run continues. */
const TIMEOUT_MS = 50_000;
const AUDIT_PARTITIONS_AHEAD = 14;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

const NoticeJob = z.object({ guild_id: z.string(), user_id: z.string() });
const GuildJob = z.object({ guild_id: z.string() });

/** The jobs that watch tokens and delete expired data (docs/operations.md: Jobs). */
export function upkeepTasks({
  engine,
  api,
  paces,
  log,
  tiers,
  auditReadRetentionDays,
}: UpkeepDeps): Record<UpkeepTask, (payload: unknown) => Promise<void>> {
  const { db, dashboardUrl } = engine;
  const deps = { db, api, paces, log, tiers, dashboardUrl };
  const inTime = () => AbortSignal.timeout(TIMEOUT_MS);
  return {
    check_issuers: () => checkIssuers(deps, inTime()),
    lost_capabilities: async () => {
      const revoked = await sweepLostCapabilities(db);
      if (revoked.length > 0) log.info({ revoked }, 'capabilities lost for a day, tokens revoked');
    },
    require_rotation: async () => {
      const { required } = await requireRotation(db);
      if (required > 0) log.info({ required }, 'tokens must be rotated');
      await scheduleNotices(deps);
    },
    rotation_notice: (payload) => {
      const { guild_id: guildId, user_id: userId } = NoticeJob.parse(payload);
      return sendNotice(deps, { guildId, userId }, inTime());
    },
    tiers: () => sweepTiers(deps, inTime()),
    guild_tier: (payload) => checkGuildTier(deps, GuildJob.parse(payload).guild_id, inTime()),
    audit_partitions: async () => {
      await keepPartitions.run(db.pool, [AUDIT_PARTITIONS_AHEAD, auditReadRetentionDays]);
    },
    housekeeping: () =>
      everyStep([
        () => endLapsedAppeals(db),
        async () => log.debug({ dropped: await dropLapsed(db) }, 'dropped what had lapsed'),
        async () => {
          const forgotten = await forgetDeletedGuilds(db);
          if (forgotten.length > 0) log.info({ forgotten }, 'forgot guilds that were left 90 days ago');
        },
      ]),
  };
}

const keepPartitions = sql.command({
  parameters: [sql.int, sql.int],
  text: 'SELECT keep_audit_partitions($1, $2)',
});

/**
 * Makes today's partitions, and queues what came due, began or ended while no bot was running.
 *
 * While the database cannot do it, it tries again: the session with Discord has begun, and to end would cost a new one.
 *
 * @throws an abort error when `signal` fires
 */
export async function startUpkeep({
  engine: { db },
  log,
  auditReadRetentionDays,
  signal,
}: Pick<UpkeepDeps, 'engine' | 'log' | 'auditReadRetentionDays'> & { readonly signal: AbortSignal }) {
  const { pool } = db;
  try {
    await keepPartitions.run(pool, [AUDIT_PARTITIONS_AHEAD, auditReadRetentionDays]);
  } catch (err) {
    // Until the hourly job makes them, the default partition takes the rows.
    log.warn({ err }, 'the partitions of audited reads could not be made');
  }
  const queueDue = async () => {
    await checkTiersSoon(pool);
    await endOverdueBans(pool);
    await endDueMeasures(pool);
    await closeDueTickets(pool);
    await resumeCases(pool);
    await postUnfinishedAppeals(db);
    await recoverSoon(pool);
    await recoverAfterLeases(pool);
  };
  await retryWithBackoff(queueDue, {
    signal,
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    onFailure: (err, pauseMs) =>
      log.error({ err, pause_ms: pauseMs }, 'what came due could not be queued; trying again'),
  });
}
