import { patience } from '@bailiff/engine/database/database-errors';
import { keptFor } from '@bailiff/engine/database/kept-for';
import type { Metrics } from '@bailiff/engine/metrics/serve-metrics';
import { type Database, type RowOf, sql } from '@bailiff/prisma';

const AMOUNTS = {
  measure: sql.text.as<
    'actions' | 'shards' | 'shards_wanted' | 'shards_unheld' | 'guilds' | 'log_channels' | 'jobs'
  >(),
  /** A state; for jobs, the task. Empty if the measure is one number. */
  label: sql.text,
  /** The state of jobs; empty for everything else. */
  state: sql.text,
  amount: sql.float,
  oldest_seconds: sql.float,
};
type Amount = RowOf<typeof AMOUNTS>;

const ageOf = (moment: string) => `coalesce(extract(epoch FROM clock_timestamp() - ${moment}), 0)::float8`;

const productState = sql.statement({
  parameters: [],
  columns: AMOUNTS,
  text: `SELECT 'actions' AS measure, state::text AS label, '' AS state, count(*)::float8 AS amount,
      ${ageOf('min(created_at)')} AS oldest_seconds
    FROM actions
    WHERE state IN ('pending', 'running') OR state = 'unknown' AND settled_at > clock_timestamp() - interval '1 day'
    GROUP BY actions.state
    UNION ALL
    SELECT 'shards', CASE WHEN NOT heartbeat_is_fresh(heartbeat_at) THEN 'silent' WHEN lost_at IS NULL THEN 'connected'
      ELSE 'lost' END, '', count(*)::float8, ${ageOf('min(heartbeat_at)')}
    FROM gateway_shards GROUP BY 2
    UNION ALL
    SELECT 'shards_wanted', '', '', coalesce(max(shard_count), 0)::float8, 0::float8
    FROM gateway_shards WHERE heartbeat_is_fresh(heartbeat_at)
    UNION ALL
    SELECT 'shards_unheld', '', '', greatest(0, coalesce(max(shard_count), 0) - coalesce(sum(cardinality(shard_ids))
      FILTER (WHERE renewed_at > clock_timestamp() - interval '30 seconds'), 0))::float8, 0::float8
    FROM shard_holders
    UNION ALL
    SELECT 'guilds', mirror_state, '', count(*)::float8, ${ageOf('min(mirrored_at)')}
    FROM live_guilds WHERE left_at IS NULL GROUP BY 2
    UNION ALL
    SELECT 'log_channels', '', '', count(log_channel_problem)::float8, 0::float8 FROM guilds WHERE left_at IS NULL
    UNION ALL
    SELECT 'jobs', t.identifier, j.state, count(*)::float8, ${ageOf('min(j.run_at)')}
    FROM (SELECT task_id, run_at, CASE WHEN locked_at IS NOT NULL THEN 'running' WHEN attempts >= max_attempts THEN 'failed'
        WHEN run_at > clock_timestamp() THEN 'scheduled' ELSE 'waiting' END AS state
      FROM graphile_worker._private_jobs
      -- One that was given up long ago is no news, and stays for a month.
      WHERE attempts < max_attempts OR locked_at IS NOT NULL OR updated_at > clock_timestamp() - interval '1 hour') AS j
    JOIN graphile_worker._private_tasks t ON t.id = j.task_id GROUP BY t.identifier, j.state`,
});

/** A second reader within this time gets what the first one got. */
const KEPT_MS = 5_000;

/** The rows of one measure as a gauge's values. */
interface ProductGauge {
  readonly name: string;
  readonly help: string;
  readonly measure: Amount['measure'];
  readonly value: 'amount' | 'oldest_seconds';
  /** The names of the labels that a row's `label` and `state` become. */
  readonly labels: readonly [] | readonly ['state'] | readonly ['task', 'state'];
  /** States that are 0 where no row has them, because a series that is missing makes no alert. */
  readonly states?: readonly string[];
}

const ACTION_STATES = ['pending', 'running', 'unknown'];

const GAUGES: readonly ProductGauge[] = [
  {
    name: 'bailiff_actions',
    help: 'Actions that have not ended, and those of the last day with an unknown outcome.',
    measure: 'actions',
    value: 'amount',
    labels: ['state'],
    states: ACTION_STATES,
  },
  {
    name: 'bailiff_actions_oldest_seconds',
    help: 'Age of the oldest of these actions.',
    measure: 'actions',
    value: 'oldest_seconds',
    labels: ['state'],
    states: ACTION_STATES,
  },
  {
    name: 'bailiff_jobs',
    help: 'Jobs in the queue, and those given up in the last hour.',
    measure: 'jobs',
    value: 'amount',
    labels: ['task', 'state'],
  },
  {
    name: 'bailiff_jobs_oldest_seconds',
    help: 'How long the oldest job in this state has been due.',
    measure: 'jobs',
    value: 'oldest_seconds',
    labels: ['task', 'state'],
  },
  {
    name: 'bailiff_gateway_shards',
    help: 'Shards of all bots.',
    measure: 'shards',
    value: 'amount',
    labels: ['state'],
    states: ['connected', 'lost', 'silent'],
  },
  {
    name: 'bailiff_gateway_shards_wanted',
    help: 'How many shards the bots divide among them.',
    measure: 'shards_wanted',
    value: 'amount',
    labels: [],
  },
  {
    name: 'bailiff_gateway_shards_unheld',
    help: 'Shards that no bot process has had a lease on for 30 seconds.',
    measure: 'shards_unheld',
    value: 'amount',
    labels: [],
  },
  {
    name: 'bailiff_mirror_age_seconds',
    help: 'Age of the oldest heartbeat of a shard: so old is what is known of its guilds.',
    measure: 'shards',
    value: 'oldest_seconds',
    labels: ['state'],
  },
  {
    name: 'bailiff_guilds',
    help: 'Guilds by the state of their mirror.',
    measure: 'guilds',
    value: 'amount',
    labels: ['state'],
    states: ['trusted', 'comparing', 'waiting', 'refused', 'disconnected'],
  },
  {
    name: 'bailiff_mirror_compared_seconds',
    help: 'How long ago the guild was compared with Discord for which that is longest.',
    measure: 'guilds',
    value: 'oldest_seconds',
    labels: ['state'],
  },
  {
    name: 'bailiff_log_channels_broken',
    help: 'Guilds whose latest case could not be posted in their log channel.',
    measure: 'log_channels',
    value: 'amount',
    labels: [],
  },
];

/**
 * Adds what the database knows of the whole product: actions, jobs, shards and guilds. It is read when the metrics are,
 * by one statement at a time. While the database does not answer in time, these are absent and `bailiff_state_read` is 0.
 */
export function measureProduct({ prometheus, registry }: Metrics, { pool }: Pick<Database, 'pool'>): void {
  const read = keptFor(KEPT_MS, () => productState.all(pool, []));
  const amounts = () =>
    patience()
      .within(read())
      .catch(() => null);
  new prometheus.Gauge({
    name: 'bailiff_state_read',
    help: 'Whether the database said what the metrics of the whole product need: 1 or 0.',
    registers: [registry],
    async collect() {
      this.set((await amounts()) === null ? 0 : 1);
    },
  });
  for (const { name, help, measure, value, labels, states = [] } of GAUGES) {
    new prometheus.Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const rows = await amounts();
        this.reset();
        // Without labels there is a value from the beginning.
        if (labels.length === 0) this.remove();
        if (rows === null) return;
        for (const state of states) this.set({ state }, 0);
        for (const row of rows.filter((each) => each.measure === measure)) {
          const values = [row.label, row.state];
          this.set(
            Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ''])),
            row[value],
          );
        }
      },
    });
  }
}
