import type { ServerProblem } from './errors.ts';

/** Every reason why a game server could not be used. */
export const SERVER_PROBLEMS = [
  'login_refused',
  'login_lost',
  'unreachable',
  'connection_refused',
  'connection_failed',
  'connection_closed',
  'no_answer',
  'no_login_answer',
  'no_rcon',
  'endless',
  'name_unknown',
  'name_slow',
  'address_private',
] as const satisfies readonly ServerProblem[];
