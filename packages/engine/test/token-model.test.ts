import { randomBytes } from 'node:crypto';
import { CAPABILITIES, hashSecret, lastFour, SECRET_BYTES, secretFromBytes } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import type { Database } from '@bailiff/prisma';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AdmittedToken, admit } from '#src/calls/admission.ts';
import { grantRole, seedGuild } from '#src/testing.ts';
import {
  capabilitiesOf,
  MOST_TOKENS,
  type Model,
  type ModelToken,
  type Outcome,
  ROUNDING_MS,
  same,
  standingOf,
} from './token-model.ts';
import { type Act, alone, atOnce, type ModelAction, outcomeOf, type World } from './token-model-acts.ts';

const LEAST_STEPS = 10_000;
/** Guilds whose tokens live at the same time, each in a story of its own after the other. */
const LANES = 4;
const LONGEST_STORY = 100;

/** One for each lane: a sweep is of all guilds. */
let databases: TestDatabase[];
let steps = 0;

beforeAll(async () => {
  databases = await Promise.all(Array.from({ length: LANES }, () => createTestDatabase()));
});
afterAll(() => Promise.all(databases.map((database) => database.drop())));

/** What the database says, and what each secret meets when it is presented. */
interface Seen {
  readonly now: number;
  readonly tokens: readonly {
    id: string;
    issuer: string;
    expires: number | null;
    lastFour: string;
    revoked: boolean;
    reason: string | null;
  }[];
  readonly audit: Readonly<Record<string, string[]>>;
  readonly around: Pick<Model, 'ownerId' | 'tier' | 'granted'> & { holders: string[] };
  readonly admitted: ReadonlyMap<string, AdmittedToken | null>;
}

const LOOK = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now,
  (SELECT coalesce(json_agg(json_build_object('id', id, 'issuer', issuer_id, 'lastFour', secret_last_four, 'reason', revoked_reason,
      'revoked', revoked_at IS NOT NULL, 'expires', round(extract(epoch FROM expires_at) * 1000))), '[]')
    FROM tokens WHERE guild_id = $1) AS tokens,
  (SELECT coalesce(json_object_agg(token_id, operations), '{}') FROM (
    SELECT token_id, array_agg(operation ORDER BY operation) AS operations FROM audit
    WHERE guild_id = $1 AND token_id IS NOT NULL AND outcome = 'performed' GROUP BY token_id) AS rows) AS audit,
  (SELECT json_build_object('ownerId', owner_id, 'tier', tier, 'granted', r.capabilities,
      'holders', ARRAY(SELECT user_id FROM members m WHERE m.guild_id = g.id AND r.role_id = ANY (m.role_ids) ORDER BY 1))
    FROM guilds g JOIN role_grants r ON r.guild_id = g.id WHERE g.id = $1) AS around`;

async function look({ db, guild }: World, model: Model, outcomes: readonly Outcome[]): Promise<Seen> {
  const handedOut = outcomes.flatMap((outcome) => {
    const secret = 'done' in outcome && (outcome.done as { secret?: string } | undefined)?.secret;
    return secret ? [secret] : [];
  });
  const secrets = [...model.tokens.flatMap((token) => token.secrets), ...handedOut];
  const admitted = await Promise.all(secrets.map((secret) => admit(db, secret)));
  const { rows } = await db.pool.query({ name: 'look', text: LOOK, values: [guild.id] });
  return { ...rows[0], admitted: new Map(secrets.map((secret, n) => [secret, admitted[n] ?? null])) };
}

function standing(seen: AdmittedToken | null): string {
  if (seen === null) return 'unknown';
  return seen.revoked ? 'revoked' : seen.expired ? 'expired' : 'live';
}

/** What holds whatever happened. */
function expectInvariants(before: Model, { tokens, admitted }: Seen): void {
  expect(tokens.filter(({ revoked }) => !revoked).length).toBeLessThanOrEqual(MOST_TOKENS);
  const revoked = new Set(before.tokens.flatMap(({ id, revokedFor }) => (revokedFor === null ? [] : [id])));
  const live = [...admitted.values()].flatMap((token) =>
    standing(token) === 'live' ? [token?.id ?? ''] : [],
  );
  for (const id of new Set(live)) {
    expect(live.filter((each) => each === id).length, 'live secrets of a token').toBeLessThanOrEqual(2);
    expect(revoked.has(id), 'a token that was revoked lives').toBe(false);
  }
}

/** The database says what the model says. @param from the time before the secrets were presented */
function expectAgreement(model: Model, from: number, seen: Seen): void {
  const { ownerId, tier, granted, members } = model;
  const holders = Object.keys(members).filter((userId) => members[userId]?.hasRole);
  same('the guild', seen.around, { ownerId, tier, granted, holders: holders.sort() });
  same('the tokens', seen.tokens.length, model.tokens.length);
  const stored = new Map(seen.tokens.map((token) => [token.id, token]));
  for (const token of model.tokens) {
    const { id, issuerId, revokedFor, audit } = token;
    const { issuer, lastFour, revoked, reason, expires } = stored.get(id) ?? {};
    same(
      `the row of ${id}`,
      [issuer, lastFour, revoked, reason],
      [issuerId, token.secrets.at(-1)?.slice(-4), revokedFor !== null, revokedFor],
    );
    expectExpiry(token, expires ?? null);
    same(`the audit rows of ${id}`, seen.audit[id] ?? [], audit.toSorted());
    for (const secret of token.secrets) expectStanding(model, token, secret, [from, seen]);
  }
}

function expectStanding(model: Model, token: ModelToken, secret: string, [from, seen]: [number, Seen]): void {
  const met = seen.admitted.get(secret) ?? null;
  const earlier = standingOf(token, secret, from + ROUNDING_MS);
  // It was presented at some moment in between.
  if (earlier === standingOf(token, secret, seen.now + ROUNDING_MS)) {
    same(`secret ${token.secrets.indexOf(secret)} of ${token.id}`, standing(met), earlier);
  }
  if (met !== null) same(`what ${token.id} may do`, met.capabilities, capabilitiesOf(model, token));
}

function expectExpiry({ id, expiresAt }: ModelToken, stored: number | null): void {
  if (stored === null || expiresAt === null) same(`the end of ${id}`, stored, expiresAt);
  else same(`the end of ${id}`, Math.abs(stored - expiresAt) <= ROUNDING_MS, true);
}

/** How far the clock that the database has is ahead of one that is never set, as two readings of the other show it. */
function clockLead(): { readonly atLeast: number; readonly atMost: number } {
  const before = performance.now();
  const now = Date.now();
  return { atLeast: now - performance.now(), atMost: now + 1 - before };
}

/** The model cannot say at what time something happened. */
class ClockSteppedBack extends Error {}

/** A world that was looked at, with the lead of its clock just before. */
interface SeenWorld extends World {
  leadMs: number;
}

/** One thing that happens, or two at the same time: then it must be as if one had come after the other. */
class Step implements fc.AsyncCommand<Model, SeenWorld> {
  readonly #actions: readonly ModelAction[];

  constructor(actions: readonly ModelAction[]) {
    this.#actions = actions;
  }

  check = () => true;

  async run(model: Model, world: SeenWorld): Promise<void> {
    const acts = this.#actions.flatMap((action) => action.prepare(world, model) ?? []);
    if (acts.length === 0) return;
    steps += acts.length;
    const outcomes = await Promise.all(acts.map((act) => outcomeOf(act.run())));
    const { atLeast } = clockLead();
    const seen = await look(world, model, outcomes);
    if (clockLead().atMost < world.leadMs) throw new ClockSteppedBack();
    world.leadMs = atLeast;
    expectInvariants(model, seen);
    const told = acts.map((act, n) => [act, outcomes[n] as Outcome] as const);
    const after = firstThatAgrees(model, seen, [told, told.toReversed()].slice(0, acts.length));
    Object.assign(model, after, { now: seen.now });
  }

  toString(): string {
    return this.#actions.map(({ name }) => name).join(' & ');
  }
}

/** The model after one of the orders in which the acts may have come. */
function firstThatAgrees(
  model: Model,
  seen: Seen,
  orders: readonly (readonly (readonly [Act, Outcome])[])[],
): Model {
  const complaints: unknown[] = [];
  for (const order of orders) {
    const after = structuredClone(model);
    try {
      for (const [act, outcome] of order) act.follow(after, outcome, seen.now);
      expectAgreement(after, model.now, seen);
      return after;
    } catch (error) {
      complaints.push(error);
    }
  }
  throw complaints[0];
}

/** A guild that already has tokens of its owner: close to the maximum, or none. */
async function begin(db: Database, tokenCount: number): Promise<{ model: Model; real: SeenWorld }> {
  const guild = await seedGuild(db);
  await grantRole(db, guild, guild.moderatorRoleId, ['bans.read']);
  const secrets = Array.from({ length: tokenCount }, () => secretFromBytes(randomBytes(SECRET_BYTES)));
  const { rows } = await db.pool.query<{ id: string; expires: number }>(
    `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, lifetime_days,
       expires_at)
     SELECT $1, $2, 'seeded', 'mcp', hash, last_four, $5, 90, now() + interval '90 days'
     FROM unnest($3::bytea[], $4::text[]) AS secrets (hash, last_four)
     RETURNING id, round(extract(epoch FROM expires_at) * 1000)::float8 AS expires`,
    [guild.id, guild.ownerId, secrets.map(hashSecret), secrets.map(lastFour), CAPABILITIES],
  );
  const { atLeast: leadMs } = clockLead();
  const { rows: clock } = await db.pool.query<{ now: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  const model: Model = {
    guildId: guild.id,
    ownerId: guild.ownerId,
    tier: 'pro',
    granted: ['bans.read'],
    members: { [guild.ownerId]: { hasRole: false }, [guild.moderatorId]: { hasRole: true } },
    tokens: rows.map(({ id, expires }, n) => ({
      id,
      issuerId: guild.ownerId,
      snapshot: CAPABILITIES,
      lifetimeDays: 90,
      expiresAt: expires,
      secrets: [secrets[n] ?? ''],
      overlapEndsAt: null,
      lostAt: null,
      lostSeenAt: null,
      revokedFor: null,
      audit: [],
    })),
    now: clock[0]?.now ?? 0,
  };
  return { model, real: { db, guild, people: [guild.ownerId, guild.moderatorId], leadMs } };
}

const story = fc.commands(
  [alone.map((action) => new Step([action])), fc.tuple(atOnce, atOnce).map((actions) => new Step(actions))],
  { maxCommands: LONGEST_STORY, size: 'max' },
);

/** One story after the other, until all lanes together have taken enough steps. */
async function tellStories({ database: db }: TestDatabase): Promise<void> {
  const told = fc.asyncProperty(story, fc.constantFrom(0, 0, 0, 23), async (commands, tokenCount) => {
    const start = await begin(db, tokenCount);
    await fc
      .asyncModelRun(() => start, commands)
      .catch((error: unknown) => {
        // Another story is told instead.
        if (!(error instanceof ClockSteppedBack)) throw error;
      });
    // A sweep would find them in the next story too.
    await db.pool.query('DELETE FROM tokens WHERE guild_id = $1', [start.model.guildId]);
  });
  while (steps < LEAST_STEPS) await fc.assert(told, { numRuns: 1, endOnFailure: true });
}

test('whatever happens to a guild’s tokens, alone or at once, they are what the specification says', async () => {
  verifies(
    'revocation.final',
    'rotation.overlap',
    'rotation.overlap-again',
    'token.create.limit-25',
    'G11',
    'H15',
  );
  const told = await Promise.allSettled(databases.map(tellStories));
  for (const result of told) if (result.status === 'rejected') throw result.reason;
}, 1_800_000);
