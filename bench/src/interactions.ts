import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import { type Sandbox, startSandbox } from '@bailiff/sandbox';
import pg from 'pg';
import { makeDirectory } from './directory.ts';
import { endAll, ROOT, startProgram } from './web.ts';

const MODERATORS = 50;
const EACH = 20;
const TARGETS = 20;
const GRANTED = ['strikes.read', 'strikes.write', 'mutes.read', 'mutes.write'];
const SETTLE_MS = 50;

type Interaction = Awaited<ReturnType<Sandbox['control']['interact']>>;

/** Milliseconds from the interaction to the bot's first response and to its answer. */
export interface InteractionCosts {
  readonly count: number;
  readonly acknowledged: Percentiles;
  readonly answered: Percentiles;
  /** Interactions without a first response within Discord's three seconds, or without an answer. */
  readonly missed: number;
}

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/**
 * Fifty moderators use commands in one guild of the sandbox, each one after the other; half of the commands are writes.
 */
export async function measureInteractions(): Promise<InteractionCosts> {
  const directory = await makeDirectory();
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  // The mutes of a single guild would reach Discord's rate limit of the route.
  const sandbox = await startSandbox({ rateLimit: { limit: 1_000, windowSeconds: 1 } });
  const bot = await startProgram(join(ROOT, 'apps', 'bot', 'src', 'main.ts'), {
    DATABASE_URL: server.url,
    DISCORD_TOKEN: sandbox.botToken,
    DISCORD_API_URL: sandbox.apiUrl,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    WEB: 'off',
    LOG_LEVEL: 'warn',
  });
  try {
    const moderators = newMembers(sandbox, 'moderator', MODERATORS);
    const targets = newMembers(sandbox, 'target', TARGETS);
    for (const user of moderators) sandbox.control.members({ action: 'add_role', user, role: 'Moderator' });
    await grantToModerators(server.url, sandbox, moderators.length);
    await sandbox.until((state) => state.commands.length > 0);
    const all = await Promise.all(
      moderators.map(async (user, index) => {
        const done: Interaction[] = [];
        for (let turn = 0; turn < EACH; turn += 1) {
          const target = targets[(index + turn) % targets.length] ?? '';
          done.push(
            await sandbox.control.interact({ type: 'command', user, ...commandOf(index + turn, target) }),
          );
        }
        return done;
      }),
    );
    return costsOf(all.flat());
  } finally {
    await endAll([bot]);
    await sandbox.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function commandOf(turn: number, target: string) {
  const commands = [
    { command: 'whoami', options: {} },
    { command: 'strike add', options: { user: target, severity: 'minor', reason: 'bench' } },
    { command: 'history', options: { user: target } },
    { command: 'mute', options: { user: target, duration: '10 m', reason: 'bench' } },
  ];
  return commands[turn % commands.length] ?? commands[0];
}

function newMembers({ control, getState, guildId }: Sandbox, name: string, count: number): string[] {
  for (let index = 0; index < count; index += 1) control.members({ action: 'join', name: `${name}${index}` });
  const members = getState(0).guilds.find(({ id }) => id === guildId)?.members ?? [];
  return members.filter(({ username }) => username.startsWith(name)).map(({ user_id: id }) => id);
}

async function grantToModerators(databaseUrl: string, { guildId }: Sandbox, count: number): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    await pool.query(
      `INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by)
       SELECT guild_id, id, $2, 'owner' FROM roles WHERE guild_id = $1 AND name = 'Moderator'`,
      [guildId, GRANTED],
    );
    await pool.query(
      "SELECT graphile_worker.add_job('mirror_guild', json_build_object('guild_id', $1::text))",
      [guildId],
    );
    for (let known = 0; known < count; ) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const { rows } = await pool.query(
        "SELECT count(*)::int FROM members m JOIN roles r ON r.id = ANY (m.role_ids) WHERE r.name = 'Moderator'",
      );
      known = rows[0].count;
    }
  } finally {
    await pool.end();
  }
}

function costsOf(interactions: readonly Interaction[]): InteractionCosts {
  const after = ({ created_at }: Interaction, response: Interaction['responses'][number] | undefined) =>
    Date.parse(response?.at ?? '') - Date.parse(created_at);
  // Whom a message did not reach is added to an answer seconds later.
  const answerOf = ({ responses }: Interaction) => responses.find(({ kind }) => kind !== 'deferred');
  const percentiles = (values: number[]): Percentiles => {
    const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99) };
  };
  return {
    count: interactions.length,
    acknowledged: percentiles(interactions.map((each) => after(each, each.responses[0]))),
    answered: percentiles(interactions.map((each) => after(each, answerOf(each)))),
    missed: interactions.filter(({ state }) => state !== 'answered').length,
  };
}
