import { join } from 'node:path';
import type pg from 'pg';
import { signInAs } from './dashboard-visitors.ts';
import { percentile } from './figure.ts';
import { prepareDatabase, preparedIn } from './prepared-database.ts';
import { seedGuilds } from './seed.ts';
import { endAll, startProgram, startWeb } from './web.ts';

const ROUNDS = 3;
/** Fewer than a person may ask for within ten seconds. */
const CALLS = 25;
const WARM_UP = 10;
const FIRST = [
  ...[
    'Amara',
    'Anouk',
    'Björn',
    'Chloé',
    'Dmitri',
    'Elif',
    'Farid',
    'Greta',
    'Hugo',
    'Ines',
    'José',
    'Katya',
    'Liam',
  ],
  ...[
    'Mira',
    'Noor',
    'Otto',
    'Piet',
    'Quinn',
    'Rosa',
    'Sana',
    'Tomás',
    'Uma',
    'Vera',
    'Wanda',
    'Xenia',
    'Yara',
    'Zoë',
  ],
];
const LAST = [
  ...[
    'Abreu',
    'Berg',
    'Costa',
    'Duarte',
    'Eriksen',
    'Farrell',
    'Garcia',
    'Holt',
    'Iqbal',
    'Jensen',
    'Kaya',
    'Lefevre',
  ],
  ...[
    'Müller',
    'Nazari',
    'Okafor',
    'Prado',
    'Quist',
    'Rossi',
    'Sato',
    'Torres',
    'Ueda',
    'Voss',
    'Weber',
    'Young',
  ],
];

export interface PeopleCosts {
  /** Milliseconds, p95 of each round: people of the database only, and with those whom Discord finds. */
  readonly known: number[];
  readonly all: number[];
}

/** Whose search is measured, and where. */
interface Asker {
  readonly guildId: string;
  readonly ownerId: string;
}

/** Makes a guild with so many people on record and as many members in the mirror. */
export function preparePeople(directory: string, people: number): Promise<void> {
  return prepareDatabase(directory, async (pool): Promise<Asker> => {
    await seedGuilds(pool, 2);
    const { rows } = await pool.query<Asker>(
      'SELECT id AS "guildId", owner_id AS "ownerId" FROM guilds ORDER BY id LIMIT 1',
    );
    const [asker] = rows;
    if (asker === undefined) throw new Error('There is no guild.');
    await seedPeople(pool, asker.guildId, people);
    return asker;
  });
}

/**
 * Searches for three letters of a name in the web process, in the guild that was prepared. The bot answers at once, as a
 * Discord would that needs no time.
 */
export async function measurePeople(directory: string): Promise<PeopleCosts> {
  const { guildId, ownerId } = await preparedIn<Asker>(directory);
  const web = await startWeb({ directory });
  const bot = await startProgram(join(import.meta.dirname, 'instant-bot.ts'), {
    DATABASE_URL: web.databaseUrl,
  });
  try {
    const cookie = await signInAs(web.pool, ownerId);
    const search = async (text: string, more: string) => {
      const startedAt = performance.now();
      const url = `${web.origin}/api/guilds/${guildId}/people?query=${encodeURIComponent(text)}${more}`;
      const answer = await fetch(url, { headers: { cookie } });
      const { data, discord } = (await answer.json()) as { data: unknown[]; discord: string };
      const ms = performance.now() - startedAt;
      if (data.length === 0 || discord !== (more === '' ? 'answered' : 'not_asked'))
        throw new Error(`“${text}” gave ${answer.status}, ${data.length} people, Discord: ${discord}`);
      return ms;
    };
    const costs: PeopleCosts = { known: [], all: [] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [kind, more] of [
        ['known', '&known=only'],
        ['all', ''],
      ] as const) {
        await web.pool.query('DELETE FROM rate_limits');
        const times: number[] = [];
        for (let call = 0; call < (round === 0 ? WARM_UP : CALLS); call += 1)
          times.push(await search(lettersOf(round * CALLS + call), more));
        if (round > 0) costs[kind].push(percentile(times, 0.95));
      }
    }
    return costs;
  } finally {
    await endAll([bot]);
    await web.stop();
  }
}

/** Three letters of one of the names, from any place. */
function lettersOf(call: number): string {
  const names = call % 2 === 0 ? FIRST : LAST;
  const name = names[call % names.length] ?? '';
  return name.slice(call % (name.length - 2)).slice(0, 3);
}

async function seedPeople(pool: pg.Pool, guildId: string, people: number): Promise<void> {
  const name = (last: string) =>
    `($3::text[])[1 + n % cardinality($3::text[])] || ${last} || ($4::text[])[1 + n / 31 % cardinality($4::text[])]`;
  await pool.query('ALTER TABLE cases DISABLE TRIGGER USER'); // no job for each of these cases
  // An index over the parts of names is made at once in half the time that it takes row by row.
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
     WHERE schemaname = current_schema() AND indexdef LIKE '%name_grams%'`,
  );
  for (const { name } of indexes) await pool.query(`DROP INDEX ${name}`);
  await pool.query(
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     SELECT $1, (600000000000000000 + n)::text, lower(${name("'.'")}) || n, ${name("' '")}, '{}'
     FROM generate_series(1, $2::int) AS n`,
    [guildId, people, FIRST, LAST],
  );
  await pool.query(
    `INSERT INTO known_names (user_id, username, display_name, guild_ids)
     SELECT (700000000000000000 + n)::text, lower(${name("'.'")}) || n, ${name("' '")}, ARRAY[$1]
     FROM generate_series(1, $2::int) AS n`,
    [guildId, people, FIRST, LAST],
  );
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
     SELECT 'kik_' || n, $1, n, 'kick', (700000000000000000 + n)::text, 'spam', 'm' FROM generate_series(1, $2::int) AS n`,
    [guildId, people],
  );
  await pool.query('ALTER TABLE cases ENABLE TRIGGER USER');
  await Promise.all(indexes.map(({ definition }) => pool.query(definition)));
  await pool.query('VACUUM ANALYZE');
}
