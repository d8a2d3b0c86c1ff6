import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type { SchemaEngine, SchemaFilter } from '@prisma/schema-engine-wasm';
import pg from 'pg';
import { connectingTo } from './primary.ts';

type EngineModule = typeof import('@prisma/schema-engine-wasm/schema_engine_bg') & {
  __wbg_set_wasm(exports: object): void;
};

// TypeScript knows WebAssembly only together with the whole browser.
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

declare global {
  var PRISMA_WASM_PANIC_REGISTRY: { set_message(message: string): void } | undefined;
}

export const NO_FILTERS: SchemaFilter = { externalTables: [], externalEnums: [] };

/** What the engine's import of setTimeout begins with; the rest is a digest. */
const SET_TIMER = '__wbg_setTimeout_';

let engineModule: Promise<EngineModule> | undefined;

/** Prisma's schema engine, instantiated once per process: about 0.1 s. */
function loadEngine(): Promise<EngineModule> {
  engineModule ??= instantiateEngine();
  return engineModule;
}

async function instantiateEngine(): Promise<EngineModule> {
  const glue = (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as EngineModule;
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const bytes = await readFile(join(dirname(entry), 'schema_engine_bg.wasm'));
  const { instance } = await WebAssembly.instantiate(bytes, {
    './schema_engine_bg.js': withoutWaiting(glue),
  });
  glue.__wbg_set_wasm(instance.exports);
  // Where the engine reports its own crash; without it the message is lost behind a TypeError.
  globalThis.PRISMA_WASM_PANIC_REGISTRY ??= {
    set_message(message) {
      throw new Error(`Prisma's schema engine crashed: ${message}`);
    },
  };
  instance.exports.__wbindgen_start();
  return glue;
}

/**
 * The functions that the engine calls. It sets a timer of ten seconds for the lock that migrations take, and leaves it
 * when it has the lock: no process is to go on for that alone.
 */
function withoutWaiting(glue: EngineModule): object {
  const setTimer = (act: () => void, ms: number) => setTimeout(act, ms).unref();
  const names = Object.keys(glue).filter((name) => name.startsWith(SET_TIMER));
  return { ...glue, ...Object.fromEntries(names.map((name) => [name, setTimer])) };
}

/** Runs `use` with a schema engine over `adapter`, and frees the engine afterwards. */
export async function withSchemaEngine<Result>(
  adapter: SqlMigrationAwareDriverAdapterFactory,
  use: (engine: SchemaEngine) => Promise<Result>,
): Promise<Result> {
  const { SchemaEngine } = await loadEngine();
  const engine = await SchemaEngine.new(
    { datamodels: undefined },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapter),
  );
  try {
    return await use(engine);
  } finally {
    engine.free();
  }
}

/**
 * The SQL that leads from one Prisma schema to another; empty when they describe the same database. Needs no server.
 *
 * @param from text of the earlier schema, or undefined for an empty database
 * @throws Error with Prisma's explanation when a schema is not valid
 */
export async function schemaDifference(from: string | undefined, to: string): Promise<string> {
  return withSchemaEngine(offlineAdapter, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from:
        from === undefined
          ? { tag: 'empty' }
          : { tag: 'schemaDatamodel', files: [{ path: 'before.prisma', content: from }] },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content: to }] },
      script: true,
      exitCode: true,
      filters: NO_FILTERS,
    });
    return exitCode === 0 ? '' : (stdout ?? '');
  });
}

/**
 * The SQL that would lead from the tables in a database to a Prisma schema; empty when they agree. Functions,
 * triggers, partitions and other PostgreSQL schemas are not looked at.
 */
export async function databaseDifference(databaseUrl: string, schema: string): Promise<string> {
  const pool = new pg.Pool({ ...connectingTo(databaseUrl), max: 1 });
  try {
    // The engine takes a partition that is itself partitioned for a table of its own (it leaves out plain partitions), and
    // knows of our own records only that no model describes them.
    const { rows } = await pool.query<{ name: string }>(
      `SELECT format('%s.%s', relnamespace::regnamespace, relname) AS name
         FROM pg_class WHERE relispartition AND relkind = 'p' OR relname = '_bailiff_sql'`,
    );
    const filters = { ...NO_FILTERS, externalTables: rows.map(({ name }) => name) };
    return await withSchemaEngine(new IntrospectionAdapter(pool), async (engine) => {
      const files = [{ path: 'schema.prisma', content: schema }];
      const { exitCode, stdout } = await engine.diff({
        from: { tag: 'schemaDatasource', files, configDir: '.' },
        to: { tag: 'schemaDatamodel', files },
        script: true,
        exitCode: true,
        filters,
      });
      return exitCode === 0 ? '' : (stdout ?? '');
    });
  } finally {
    await pool.end();
  }
}

/**
 * Prisma's PostgreSQL adapter, able to read the catalogue's columns of the one-byte type `"char"`: the stock adapter
 * refuses them, though Prisma's own introspection asks for them. Makes one query at a time.
 */
class IntrospectionAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const pool = adapter.underlyingDriver();
    const query = pool.query.bind(pool) as (
      config: pg.QueryConfig,
      values: unknown[],
    ) => Promise<pg.QueryResult>;
    let isChar: boolean[] = [];
    const queryCharAsText = async (config: pg.QueryConfig, values: unknown[]) => {
      const result = await query(config, values);
      isChar = result.fields.map(({ dataTypeID }) => dataTypeID === pg.types.builtins.CHAR);
      for (const [index, field] of result.fields.entries()) {
        if (isChar[index]) field.dataTypeID = pg.types.builtins.TEXT;
      }
      return result;
    };
    pool.query = queryCharAsText as typeof pool.query;
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (sqlQuery) => {
      const result = await queryRaw(sqlQuery);
      const columnTypes = result.columnTypes.map((type, index) =>
        isChar[index] ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    return adapter;
  }
}

/** Answers the one question the engine asks before it compares two schema texts: which server is this? */
const offlineAdapter: SqlMigrationAwareDriverAdapterFactory = {
  provider: 'postgres',
  adapterName: 'offline',
  connect: async () => offlineConnection,
  connectToShadowDb: () => Promise.reject(new Error('No shadow database is needed to compare schemas.')),
};

const offlineConnection: SqlDriverAdapter = {
  provider: 'postgres',
  adapterName: 'offline',
  queryRaw: async () => ({
    columnNames: ['exists', 'version', 'numeric_version'],
    columnTypes: [ColumnTypeEnum.Boolean, ColumnTypeEnum.Text, ColumnTypeEnum.Int32],
    rows: [[true, 'PostgreSQL 18.0', 180_000]],
  }),
  executeRaw: () => Promise.reject(new Error('Comparing schemas writes nothing.')),
  executeScript: () => Promise.reject(new Error('Comparing schemas writes nothing.')),
  startTransaction: () => Promise.reject(new Error('Comparing schemas needs no transaction.')),
  dispose: async () => {},
};
