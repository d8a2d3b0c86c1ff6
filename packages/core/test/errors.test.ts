import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ApiError, ERRORS, type ForbiddenReason } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const LOCKED = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'CAPABILITY_DENIED',
  'INVALID_CONFIRMATION',
  'RE_AUTH_REQUIRED',
  'NOT_FOUND',
  'VALIDATION_FAILED',
  'RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'TOKEN_EXPIRED',
  'TOKEN_REVOKED',
  'TOKEN_IP_NOT_ALLOWED',
  'CORS_DENIED',
  'INTERNAL_ERROR',
];

test('the codes are the 14 locked ones and ALREADY_CLAIMED', () => {
  expect(Object.keys(ERRORS).sort()).toEqual([...LOCKED, 'ALREADY_CLAIMED'].sort());
});

test('three codes may be tried again', () => {
  const retryable = Object.entries(ERRORS).flatMap(([code, { retryable }]) => (retryable ? [code] : []));
  expect(retryable.sort()).toEqual(['INTERNAL_ERROR', 'RATE_LIMITED', 'UPSTREAM_UNAVAILABLE']);
});

test('an envelope has the fields of the specification, with details that are empty where there are none', () => {
  verifies('envelope.details');
  const absent = new ApiError('NOT_FOUND', 'There is no such ban.');
  expect(String(absent)).toBe('ApiError: There is no such ban.');
  expect(absent.envelope('req_1')).toStrictEqual({
    error: {
      code: 'NOT_FOUND',
      message: 'There is no such ban.',
      retryable: false,
      request_id: 'req_1',
      details: {},
    },
  });
  const denied = new ApiError('CAPABILITY_DENIED', 'No.', { details: { missing: ['bans.write'] } });
  expect(denied.envelope('req_2').error.details).toEqual({ missing: ['bans.write'] });
  expect(denied.status).toBe(403);
});

test('what passes by itself may be sent again; what may have happened, only with an Idempotency-Key', () => {
  const retryable = (details: object, hasKey?: boolean) =>
    new ApiError('UPSTREAM_UNAVAILABLE', 'Away.', {
      details: { upstream: 'discord', outcome: 'not_performed', ...details },
    }).envelope('req_1', hasKey === undefined ? {} : { hasKey }).error.retryable;
  expect([retryable({}), retryable({}, true)]).toEqual([true, true]);
  const unknown = { outcome: 'unknown' };
  expect([retryable(unknown), retryable(unknown, false), retryable(unknown, true)]).toEqual([
    false,
    false,
    true,
  ]);
  expect([retryable({ permanent: true }), retryable({ permanent: true }, true)]).toEqual([false, false]);
  expect(new ApiError('RATE_LIMITED', 'Wait.').envelope('req_2').error.retryable).toBe(true);
  expect(new ApiError('NOT_FOUND', 'No.').envelope('req_3', { hasKey: true }).error.retryable).toBe(false);
});

test('a wait is whole seconds, at least one, and only on 429 and 503', () => {
  const limited = (seconds: number) =>
    new ApiError('RATE_LIMITED', 'Wait.', { details: { scope: 'ip', retry_after_seconds: seconds } })
      .retryAfterSeconds;
  expect([limited(0), limited(0.2), limited(59.1)]).toEqual([1, 1, 60]);
  expect(new ApiError('UPSTREAM_UNAVAILABLE', 'Down.').retryAfterSeconds).toBe(1);
  const unknown = { upstream: 'database', outcome: 'unknown' } as const;
  expect(
    new ApiError('UPSTREAM_UNAVAILABLE', 'Down.', { details: unknown }).retryAfterSeconds,
  ).toBeUndefined();
  const upstream = { upstream: 'discord', outcome: 'not_performed', retry_after_seconds: 5 } as const;
  expect(new ApiError('UPSTREAM_UNAVAILABLE', 'Down.', { details: upstream }).retryAfterSeconds).toBe(5);
  expect(
    new ApiError('UPSTREAM_UNAVAILABLE', 'Down.', { details: upstream, status: 502 }).retryAfterSeconds,
  ).toBeUndefined();
  expect(new ApiError('INTERNAL_ERROR', 'Oops.').retryAfterSeconds).toBeUndefined();
});

test('what is not known is 502, whatever status it was given', () => {
  verifies('errors.503-certain');
  const told = (outcome: 'unknown' | 'not_performed', status?: number) =>
    new ApiError('UPSTREAM_UNAVAILABLE', 'Away.', {
      details: { upstream: 'database', outcome },
      ...(status === undefined ? {} : { status }),
    }).status;
  expect([told('unknown'), told('unknown', 503), told('unknown', 502)]).toEqual([502, 502, 502]);
  expect([told('not_performed'), told('not_performed', 502)]).toEqual([503, 502]);
});

/** What a token never meets: it is of chat, of the dashboard, or of what the system does by itself. */
const NOT_OF_TOKENS: readonly ForbiddenReason[] = [
  'APPEAL_LIMIT',
  'APPEAL_TOO_SOON',
  'CASE_EVIDENCE_LIMIT',
  'CASE_NOT_FITTING',
  'ESCALATION_CHANGED',
  'FOREIGN_ORIGIN',
  'GUILD_EVIDENCE_LIMIT',
  'GUILD_LINK_LIMIT',
  'GUILD_NOT_PAID',
  'GUILD_REPORT_LIMIT',
  'GUILD_TICKET_LIMIT',
  'LINK_CODE',
  'LINK_LIMIT',
  'LINK_TRIES',
  'NOTE_LIMIT',
  'NOT_DUE',
  'NOT_ISSUER',
  'NO_GAME_COMMAND',
  'OPENER_LEFT',
  'OPENER_TICKET_LIMIT',
  'OWNER_ONLY',
  'PRESET_LIMIT',
  'REOPEN_TOO_LATE',
  'REPORTED_OFTEN',
  'REPORTS_OFF',
  'REPORT_LIMIT',
  'REPORT_REPEATED',
  'SENT_BEFORE',
  'SERVER_LIMIT',
  'SESSION_REQUIRED',
  'TICKET_CATEGORY',
  'TICKET_COOLDOWN',
  'TICKET_LIMIT',
  'TICKET_NOT_CLOSED',
  'TICKET_PAUSE',
  'TOKEN_LIMIT',
];

test('the guide to the public API says of every reason that a token can meet what it means', async () => {
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
  const [, type = ''] = /export type ForbiddenReason =([^;]+);/.exec(await read('../src/errors.ts')) ?? [];
  const reasons = [...type.matchAll(/'([A-Z_]+)'/g)].map(([, reason]) => reason as ForbiddenReason);
  const guide = await read('../../../docs/public-api.md');
  const [, table = ''] = /^\| `details\.reason` of `FORBIDDEN` \| \|\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const told = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, reason]) => reason),
  );
  const ofTokens = reasons.filter((reason) => !NOT_OF_TOKENS.includes(reason));
  expect(ofTokens).not.toEqual([]);
  expect(told.toSorted()).toEqual(ofTokens.toSorted());
});
