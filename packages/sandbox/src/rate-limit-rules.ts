import type { Method } from './rest/route.ts';

/** What one kind of bucket admits. */
export interface Rule {
  readonly limit: number;
  readonly windowMs: number;
  /** Tells buckets of the same route apart. */
  readonly name?: string;
  /** Who has a bucket of their own; default: each major id of the path. */
  readonly per?: 'guild' | 'bot';
  /** The limit that the headers claim until the first refusal. */
  readonly claims?: number;
  readonly scope?: 'shared';
  /** The bucket that the headers of a refusal tell about instead of this one. */
  readonly plain?: Rule;
}

interface RouteRule extends Rule {
  readonly method: Method;
  readonly path: string;
  readonly when?: (request: { ageMs: number; body: unknown }) => boolean;
}

const MESSAGES = '/channels/{channel_id}/messages';
const MESSAGE = `${MESSAGES}/{message_id}`;
const TWO_WEEKS_MS = 14 * 86_400_000;

/**
 * Discord's limits as people observe them, with the issue of discord/discord-api-docs that tells of each. The first
 * rule that fits a request is its rule.
 */
export const RULES: readonly RouteRule[] = [
  // #8161: the headers tell of 999 or 1,000 more until the 429.
  { method: 'GET', path: MESSAGES, limit: 5, windowMs: 5_000, claims: 1_000 },
  // #5646
  { method: 'POST', path: MESSAGES, limit: 5, windowMs: 5_000, claims: 50_000 },
  // #40, #48: all channels of a guild together.
  { method: 'POST', path: `${MESSAGES}/bulk-delete`, limit: 1, windowMs: 1_000, per: 'guild' },
  // #8330
  {
    method: 'DELETE',
    path: MESSAGE,
    name: 'new',
    limit: 5,
    windowMs: 1_000,
    when: ({ ageMs }) => ageMs < 10_000,
  },
  {
    method: 'DELETE',
    path: MESSAGE,
    name: 'old',
    limit: 30,
    windowMs: 4_000,
    when: ({ ageMs }) => ageMs > TWO_WEEKS_MS,
  },
  { method: 'DELETE', path: MESSAGE, limit: 3, windowMs: 333 },
  // #2761: the headers tell of the channel's other changes.
  {
    method: 'PATCH',
    path: '/channels/{channel_id}',
    name: 'name or topic',
    limit: 2,
    windowMs: 600_000,
    scope: 'shared',
    plain: { limit: 5, windowMs: 5_000 },
    when: ({ body }) => typeof body === 'object' && body !== null && ('name' in body || 'topic' in body),
  },
  // #7394
  { method: 'GET', path: '/users/{user_id}', limit: 30, windowMs: 30_000, per: 'bot', claims: 2_000 },
  // discordjs/discord.js#3891
  { method: 'GET', path: '/gateway/bot', limit: 2, windowMs: 5_000, per: 'bot' },
];
