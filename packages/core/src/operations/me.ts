import { z } from 'zod';
import { TIERS } from '#src/budgets.ts';
import { CAPABILITIES } from '#src/capabilities.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { operation, type Tier } from './operation.ts';
import { Me } from './shapes.ts';

/** The budgets after some reads and one destructive call. */
function budget(spentReads: number) {
  const of = (tier: Tier, spent: number) => ({
    capacity: TIERS[tier].capacity,
    remaining: TIERS[tier].capacity - spent,
    refill_per_minute: TIERS[tier].refillPerMinute,
  });
  return {
    read: of('read', spentReads),
    reversible_write: of('reversible_write', 0),
    destructive_write: of('destructive_write', 1),
  };
}

export const me = {
  me: operation({
    summary: 'Get what this token is and may do now',
    http: { method: 'GET', path: '/me', success: 200, scope: 'token' },
    tool: { name: 'whoami' },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({}),
    output: Me,
    example: {
      input: {},
      output: {
        token: {
          id: exampleId('token'),
          name: 'Nightly script',
          kind: 'rest',
          created_at: ISSUED_AT,
          rotated_at: null,
          expires_at: '2026-05-01T12:00:00.000Z',
        },
        issuer: { user_id: EXAMPLE_IDS.issuer, username: 'olivia' },
        guild: {
          id: EXAMPLE_IDS.guild,
          name: 'Market Square',
          tier: 'pro',
          state: 'trusted',
          problem: null,
        },
        snapshot: [...CAPABILITIES],
        effective_capabilities: ['strikes.read', 'strikes.write', 'bans.read', 'bans.write'],
        window: { open: true, window: { window_id: exampleId('window'), expires_at: LATER } },
        budgets: { token: budget(1), user: budget(2) },
      },
    },
    notFound: null,
    target: () => null,
  }),
};
