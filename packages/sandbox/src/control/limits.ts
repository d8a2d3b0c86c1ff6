import type { AddressBans } from '#src/address-bans.ts';
import { ControlError } from '#src/errors.ts';
import { DISCORDS_LIMITS, type RateLimitSettings, type RateLimits } from '#src/rate-limits.ts';
import { controlFields } from './resolve.ts';

/** The body of `POST /sandbox/limits`. A setting that is absent becomes the default again. */
export interface LimitsRequest {
  /** One limit for every route instead of Discord's own, for what does not test limits. */
  every_route?: { limit: number; window_seconds: number };
  /** Decides which refusals come without headers or as HTML. */
  edge_seed?: number;
  /** Answers of 401, 403 and 429 within ten minutes after which an address is banned; default 10,000. */
  invalid_answers?: number;
}

/** Sets the limits, refills every bucket and lifts every ban of an address. Returns the settings. */
export function controlLimits(
  rateLimits: RateLimits,
  bans: AddressBans,
  request: LimitsRequest,
): RateLimitSettings {
  const fields = controlFields(request, ['every_route', 'edge_seed', 'invalid_answers']);
  rateLimits.change({
    everyRoute: everyRouteOf(fields.object('every_route') ?? null),
    edgeSeed: fields.integer('edge_seed', { min: 0 }) ?? DISCORDS_LIMITS.edgeSeed,
    invalidAnswers: fields.integer('invalid_answers', { min: 1 }) ?? DISCORDS_LIMITS.invalidAnswers,
  });
  bans.clear();
  return rateLimits.settings;
}

function everyRouteOf(given: object | null): RateLimitSettings['everyRoute'] {
  if (given === null) return null;
  const { limit, window_seconds: windowSeconds } = given as Record<string, unknown>;
  if (typeof limit !== 'number' || typeof windowSeconds !== 'number' || limit < 1 || windowSeconds <= 0) {
    throw new ControlError(400, 'every_route: must have limit and window_seconds, both above 0.');
  }
  return { limit, windowSeconds };
}
