import { openMetrics } from '@bailiff/engine/metrics/serve-metrics';
import type { Tracer } from '@bailiff/engine/tracing/spans';
import type { Database } from '@bailiff/prisma';
import type { Config } from '#src/config.ts';
import type { Logger } from '#src/log.ts';
import { type BotMeter, createBotMeter } from './bot-meter.ts';
import { measureProduct } from './product-state.ts';

/** Who learns of what a bot does. */
export interface Watched {
  /** Undefined if no metrics are kept. */
  readonly meter: BotMeter | undefined;
  /** Undefined if no traces are made. */
  readonly tracer: Tracer | undefined;
}

interface Watching {
  readonly config: Pick<Config, 'metrics' | 'tracing'>;
  readonly db: Database;
  readonly log: Logger;
  /** Does something when the bot stops. */
  readonly atStop: (end: () => Promise<void>) => void;
}

/** Starts to serve metrics and to send traces, as far as they are wanted. */
export async function startWatching({ config, db, log, atStop }: Watching): Promise<Watched> {
  const tracer = await startTracing({ config, log, atStop });
  if (config.metrics === null) return { meter: undefined, tracer };
  const metrics = await openMetrics(config.metrics, { name: 'bot', db, log });
  atStop(() => metrics.close());
  measureProduct(metrics, db);
  void metrics.serve().catch(() => {}); // it is over when the bot stops
  return { meter: createBotMeter(metrics), tracer };
}

async function startTracing({ config, log, atStop }: Omit<Watching, 'db'>): Promise<Tracer | undefined> {
  if (config.tracing === null) return undefined;
  // Loaded only where traces are made.
  const { exportSpans } = await import('@bailiff/engine/tracing/export-spans');
  const exporter = exportSpans(config.tracing, { service: 'bailiff-bot', log });
  atStop(() => exporter.close());
  return exporter;
}
