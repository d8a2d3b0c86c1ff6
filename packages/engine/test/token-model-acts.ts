// What can happen to a guild's tokens: how it is done for real, and what the model says must come of it.
import type { Capability } from '@bailiff/core';
import { ApiError } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import fc from 'fast-check';
import { expect } from 'vitest';
import { followMembers, membersLeft, putGuild } from '#src/guilds/mirror.ts';
import { setTier } from '#src/guilds/tiers.ts';
import { grantRole, type SeededGuild } from '#src/testing.ts';
import { sweepLostCapabilities } from '#src/tokens/grace.ts';
import { type IssuedToken, mintToken } from '#src/tokens/mint.ts';
import { revokeAsOperator } from '#src/tokens/operator-tokens.ts';
import { LIFETIMES, type Lifetime, type TokenView } from '#src/tokens/token-view.ts';
import { renewToken, revokeToken, rotateToken, snoozeWarning, updateToken } from '#src/tokens/tokens.ts';
import {
  DAY_MS,
  INHERITABLE,
  type Model,
  type ModelToken,
  mayChange,
  mayMint,
  type Outcome,
  OVERLAP_MS,
  ROUNDING_MS,
  revoke,
  same,
  sweep,
} from './token-model.ts';

/** One event that is about to happen to the tokens and people of one moment. */
export interface Act {
  run(): Promise<unknown>;
  /** Applies it to the model. Throws if the outcome is wrong. */
  follow(model: Model, outcome: Outcome, until: number): void;
}

export interface World {
  readonly db: Database;
  readonly guild: SeededGuild;
  /** Two people who may own the guild, and hold the role, in turn. */
  readonly people: readonly [string, string];
}

/** An event that can happen. Null if there is nothing that it could happen to. */
export interface ModelAction {
  readonly name: string;
  prepare(world: World, model: Model): Act | null;
}

type Person = 0 | 1;
/** Whose session it is: mostly the owner's. */
type By = 'owner' | Person;

const CALL = { requestId: 'req_model', address: '203.0.113.1' };
const userOf = (world: World, model: Model, by: By): string =>
  by === 'owner' ? model.ownerId : world.people[by];
const pick = (model: Model, n: number): ModelToken | undefined => model.tokens[n % model.tokens.length];

export async function outcomeOf(running: Promise<unknown>): Promise<Outcome> {
  try {
    return { done: await running };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = String((error.details as { reason?: string } | undefined)?.reason ?? error.code);
    // A person who was the owner a moment ago may get either.
    return { refused: ['OWNER_ONLY', 'NOT_FOUND'].includes(reason) ? 'NOT_OWNER' : reason };
  }
}

function expectOutcome(outcome: Outcome, refusal: string | null): boolean {
  same('the refusal', 'refused' in outcome ? outcome.refused : null, refusal);
  return refusal === null;
}

function expectMoment(actual: Date | number | null, from: number, to: number): number {
  const at = Number(actual);
  expect(at).toBeGreaterThanOrEqual(from - ROUNDING_MS);
  expect(at).toBeLessThanOrEqual(to + ROUNDING_MS);
  return at;
}

/** The end of a life that begins within a span; null is never. */
function endOf(actual: Date | null, days: number | null, from: number, to: number): number | null {
  if (days !== null) return expectMoment(actual, from + days * DAY_MS, to + days * DAY_MS);
  expect(actual).toBeNull();
  return null;
}

function mint(by: By, lifetime: Lifetime, capabilities: readonly Capability[] | undefined): ModelAction {
  return {
    name: `mint(${by}, ${lifetime})`,
    prepare: (world, model) => {
      const userId = userOf(world, model, by);
      return {
        run: () =>
          mintToken(
            world.db,
            { ...CALL, userId },
            {
              guildId: world.guild.id,
              name: 'model',
              kind: 'rest',
              capabilities,
              expiresIn: lifetime,
              ipAllowlist: [],
            },
          ),
        follow: (now, outcome, until) => {
          if (!expectOutcome(outcome, mayMint(now, userId))) return;
          const { token, secret } = (outcome as { done: IssuedToken }).done;
          const snapshot = capabilities ?? INHERITABLE;
          expect(token).toMatchObject({ state: 'active', issuerId: userId, capabilities: snapshot });
          now.tokens.push({
            id: token.id,
            issuerId: userId,
            snapshot,
            lifetimeDays: LIFETIMES[lifetime],
            expiresAt: endOf(token.expiresAt, LIFETIMES[lifetime], now.now, until),
            secrets: [secret],
            overlapEndsAt: null,
            lostAt: null,
            lostSeenAt: null,
            revokedFor: null,
            audit: ['tokens.create'],
          });
        },
      };
    },
  };
}

/** A change of one token by a person. */
function change<Done>(
  name: string,
  [n, by]: [number, By],
  kind: 'life' | 'any',
  run: (world: World, userId: string, id: string) => Promise<Done>,
  follow: (token: ModelToken, done: Done, span: [from: number, to: number]) => void,
): ModelAction {
  return {
    name: `${name}(#${n}, ${by})`,
    prepare: (world, model) => {
      const target = pick(model, n);
      if (target === undefined) return null;
      const userId = userOf(world, model, by);
      return {
        run: () => run(world, userId, target.id),
        follow: (now, outcome, until) => {
          const token = now.tokens.find(({ id }) => id === target.id) as ModelToken;
          if (!expectOutcome(outcome, mayChange(now, userId, token, kind))) return;
          follow(token, (outcome as { done: Done }).done, [now.now, until]);
        },
      };
    },
  };
}

function renew(at: [number, By], length: Lifetime | undefined): ModelAction {
  return change<TokenView>(
    `renew ${length}`,
    at,
    'life',
    ({ db }, userId, id) => renewToken(db, { ...CALL, userId }, id, length),
    (token, view, [from, to]) => {
      token.audit.push('tokens.renew');
      expect(view.state).toBe('active');
      const days = length === undefined ? (token.expiresAt === null ? null : 90) : LIFETIMES[length];
      const begins = token.expiresAt ?? 0;
      token.expiresAt = endOf(view.expiresAt, days, Math.max(begins, from), Math.max(begins, to));
      token.lifetimeDays ??= days;
    },
  );
}

function rotate(at: [number, By], overlap: boolean): ModelAction {
  return change<IssuedToken>(
    `rotate ${overlap ? 'with overlap' : 'at once'}`,
    at,
    'life',
    ({ db }, userId, id) => rotateToken(db, { ...CALL, userId }, id, { overlap }),
    (token, { token: view, secret }, [from, to]) => {
      token.audit.push('tokens.rotate');
      expect(view.state).toBe('active');
      const rotatedAt = expectMoment(view.rotatedAt, from, to);
      token.secrets.push(secret);
      token.overlapEndsAt = overlap ? rotatedAt + OVERLAP_MS : null;
      expect(view.previousSecretExpiresAt?.getTime() ?? null).toBe(token.overlapEndsAt);
      const wasAlive = token.expiresAt === null || Number(view.expiresAt) === token.expiresAt;
      if (!wasAlive) {
        expectMoment(token.expiresAt, Number.NEGATIVE_INFINITY, to);
        token.expiresAt = endOf(view.expiresAt, token.lifetimeDays, from, to);
      }
    },
  );
}

const revokeBy = (at: [number, By]): ModelAction =>
  change(
    'revoke',
    at,
    'any',
    ({ db }, userId, id) => revokeToken(db, { ...CALL, userId }, id),
    (token) => revoke(token, 'owner'),
  );

const rename = (at: [number, By]): ModelAction =>
  change(
    'rename',
    at,
    'any',
    ({ db }, userId, id) => updateToken(db, { ...CALL, userId }, id, { name: 'renamed' }),
    (token) => token.audit.push('tokens.update'),
  );

const snooze = (at: [number, By]): ModelAction =>
  change(
    'snooze',
    at,
    'any',
    ({ db }, userId, id) => snoozeWarning(db, { ...CALL, userId }, id),
    (token) => token.audit.push('tokens.snooze'),
  );

/** Something that nobody is refused. */
function happens(
  name: string,
  prepare: (world: World, model: Model) => [() => Promise<unknown>, (now: Model) => void] | null,
): ModelAction {
  return {
    name,
    prepare: (world, model) => {
      const [run, follow] = prepare(world, model) ?? [];
      if (run === undefined || follow === undefined) return null;
      return {
        run,
        follow: (now, outcome) => {
          if (expectOutcome(outcome, null)) follow(now);
        },
      };
    },
  };
}

const memberOf = (world: World, userId: string, hasRole: boolean) => ({
  userId,
  username: 'name',
  displayName: 'Name',
  avatarHash: null,
  bot: false,
  roleIds: hasRole ? [world.guild.moderatorRoleId] : [],
  joinedAt: null,
});

/** Joins, or gets or loses the role. */
const arrive = (person: Person, hasRole: boolean): ModelAction =>
  happens(`person ${person} is there ${hasRole ? 'with' : 'without'} the role`, (world) => {
    const userId = world.people[person];
    const member = memberOf(world, userId, hasRole);
    return [
      () => followMembers(world.db, world.guild.id, [member], world.guild.botId),
      (now) => {
        now.members[userId] = { hasRole };
      },
    ];
  });

const leave = (person: Person): ModelAction =>
  happens(`person ${person} leaves`, (world, model) => {
    const userId = world.people[person];
    // Discord does not let an owner go.
    if (userId === model.ownerId) return null;
    return [
      () => membersLeft(world.db, world.guild.id, [userId]),
      (now) => {
        delete now.members[userId];
        for (const token of now.tokens) if (token.issuerId === userId) revoke(token, 'issuer_left');
      },
    ];
  });

const grant = (capabilities: readonly Capability[]): ModelAction =>
  happens(`the role may ${capabilities.join(' ')}`, (world) => [
    () => grantRole(world.db, world.guild, world.guild.moderatorRoleId, capabilities),
    (now) => {
      now.granted = capabilities;
    },
  ]);

const handOver = (person: Person): ModelAction =>
  happens(`person ${person} owns the guild`, ({ db, guild, people }, model) => {
    const ownerId = people[person];
    if (model.members[ownerId] === undefined) return null;
    const described = { id: guild.id, name: 'Seeded', iconHash: null, ownerId, shardId: 0 };
    return [
      () => putGuild(db.pool, described, 'pro'),
      (now) => {
        now.ownerId = ownerId;
      },
    ];
  });

const fallTo = (tier: Model['tier']): ModelAction =>
  happens(`tier ${tier}`, (world) => [
    () => setTier(world.db, world.guild.id, tier),
    (now) => {
      now.tier = tier;
      if (tier === 'free') for (const token of now.tokens) revoke(token, 'tier_lost');
    },
  ]);

/** Done by the operator, not in a person's session. */
const revokeForAll = (n: number): ModelAction =>
  happens(`the operator revokes #${n}`, (world, model) => {
    const target = pick(model, n);
    if (target === undefined) return null;
    return [
      () => revokeAsOperator(world.db, { tokenId: target.id }),
      (now) => revoke(now.tokens.find(({ id }) => id === target.id) as ModelToken, 'operator'),
    ];
  });

/**
 * Everything the guild's tokens remember becomes so much older. With `swept`, sweeps look at them all the while: that they
 * looked a moment ago stays true.
 */
const pass = (seconds: number, swept: boolean): ModelAction => ({
  name: `${seconds} s pass${swept ? ' with sweeps' : ''}`,
  prepare: ({ db, guild }) => ({
    run: async () => {
      if (swept) await sweepLostCapabilities(db);
      await db.pool.query(
        `UPDATE tokens SET created_at = created_at - age, rotated_at = rotated_at - age, revoked_at = revoked_at - age,
           expires_at = expires_at - age, previous_secret_expires_at = previous_secret_expires_at - age,
           rotation_warning_dismissed_at = rotation_warning_dismissed_at - age,
           capability_lost_at = capability_lost_at - age,
           capability_lost_seen_at = CASE WHEN $3 THEN capability_lost_seen_at ELSE capability_lost_seen_at - age END
         FROM make_interval(secs => $2) AS age WHERE guild_id = $1`,
        [guild.id, seconds, swept],
      );
      if (swept) await sweepLostCapabilities(db);
    },
    follow: (now, outcome, until) => {
      if (!expectOutcome(outcome, null)) return;
      if (swept) sweep(now, until);
      for (const token of now.tokens) {
        if (token.expiresAt !== null) token.expiresAt -= seconds * 1000;
        if (token.overlapEndsAt !== null) token.overlapEndsAt -= seconds * 1000;
        if (token.lostAt !== null) token.lostAt -= seconds * 1000;
        if (token.lostSeenAt !== null && !swept) token.lostSeenAt -= seconds * 1000;
      }
      if (swept) sweep(now, until);
    },
  }),
});

const person = fc.constantFrom<Person>(0, 1);
const by: fc.Arbitrary<By> = fc.oneof({ weight: 8, arbitrary: fc.constant<By>('owner') }, person);
const token: fc.Arbitrary<[number, By]> = fc.tuple(fc.nat(30), by);
const lifetime = fc.constantFrom<Lifetime>('7d', '30d', '90d', 'never');
const some: fc.Arbitrary<readonly Capability[]> = fc.constantFrom(
  ['bans.read'],
  ['strikes.read', 'bans.read', 'bans.write'],
  INHERITABLE,
);

/** What can happen to tokens themselves. */
const ofTokens: fc.WeightedArbitrary<ModelAction>[] = [
  {
    weight: 4,
    arbitrary: fc.tuple(by, lifetime, fc.option(some, { nil: undefined })).map((m) => mint(...m)),
  },
  { weight: 3, arbitrary: fc.tuple(token, fc.option(lifetime, { nil: undefined })).map((r) => renew(...r)) },
  { weight: 6, arbitrary: fc.tuple(token, fc.boolean()).map((r) => rotate(...r)) },
  { weight: 2, arbitrary: token.map(revokeBy) },
  { weight: 1, arbitrary: fc.nat(30).map(revokeForAll) },
  { weight: 1, arbitrary: token.map(rename) },
  { weight: 1, arbitrary: token.map(snooze) },
];

/** What can happen around them. */
const around: fc.WeightedArbitrary<ModelAction>[] = [
  { weight: 1, arbitrary: fc.tuple(person, fc.boolean()).map((a) => arrive(...a)) },
  { weight: 1, arbitrary: person.map(leave) },
  { weight: 1, arbitrary: fc.oneof(some, fc.constant([])).map(grant) },
  { weight: 1, arbitrary: person.map(handOver) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(
        { weight: 4, arbitrary: fc.constantFrom('pro' as const, 'operator' as const) },
        fc.constant('free' as const),
      )
      .map(fallTo),
  },
];

/** Just before, exactly at and just after what has an end, among others. */
const seconds = fc.constantFrom(
  ...[1, 60, 299, 300, 301, 3600],
  ...[1, 7, 30, 90, 91].flatMap((days) => [days * 86_400 - 60, days * 86_400]),
);

/** What can happen alone, and what can happen at the same time as something else. */
export const alone: fc.Arbitrary<ModelAction> = fc.oneof(...ofTokens, ...around, {
  weight: 5,
  arbitrary: fc.tuple(seconds, fc.boolean()).map((p) => pass(...p)),
});
export const atOnce: fc.Arbitrary<ModelAction> = fc.oneof(...ofTokens, ...around);
