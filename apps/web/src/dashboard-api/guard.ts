import {
  ApiError,
  type ErrorCode,
  expectedSentinel,
  isDestructive,
  matchesSentinel,
  type OperationName,
} from '@bailiff/core';
import { checkCall, GUARD_STEPS, type GuardVerdict } from '@bailiff/engine/calls/guard-check';
import { ownedGuild } from '@bailiff/engine/guilds/guilds';
import type { Database } from '@bailiff/prisma';
import { publicLimit } from '#src/address-limit.ts';
import { describeCalls } from '#src/describe-calls.ts';
import { type ReceivedRequest, receivedFrom } from '#src/http/kernel.ts';
import { localeOfRequest } from '#src/locale-of-request.ts';
import {
  findOperation,
  type OperationRoute,
  readIdempotencyKey,
  readInput,
  refuseBrowsers,
} from '#src/public-api/pipeline.ts';
import { bodyOf, CheckedRequest } from './input.ts';
import { type DashboardContext, type DashboardRequest, json, type Route } from './route.ts';

/** Steps 1 to 12 of the pipeline in order (decisions: Request pipeline). */
const STEPS = ['limit', 'browser', 'route', 'token', ...GUARD_STEPS] as const;

export type CheckStep = (typeof STEPS)[number];
export type CheckResult = 'passed' | 'refused' | 'not_reached' | 'not_needed';

/** The steps that only destructive calls need. */
const DESTRUCTIVE_ONLY: readonly CheckStep[] = ['window', 'sentinel'];
/** The steps that a call does not need whose answer is given again. */
const ONCE_ONLY: readonly CheckStep[] = ['settings', ...DESTRUCTIVE_ONLY, 'budgets'];

interface Refused {
  readonly step: CheckStep;
  readonly error: ApiError;
}

/** A call with readable input. */
interface CheckedCall {
  readonly operation: OperationName;
  /** The call as a sentence. */
  readonly sentence: string;
  /** The expected `_confirmation`, and whether the call has it; null if the call needs none. */
  readonly sentinel: { readonly expected: string; readonly matches: boolean } | null;
}

export const guardRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/guilds/{guildId}/guard-check',
    handle: async (context, request) => json(200, await check(context, request)),
  },
];

/** Checks a request as the guard would, without performing it (decisions: Guard check). */
async function check({ config, db, engine }: DashboardContext, request: DashboardRequest) {
  const guild = await ownedGuild(db, request.params.guildId ?? '', request.session.userId, {
    needsMirror: false,
  });
  const { token_id: tokenId, address, ...sent } = await bodyOf(request, CheckedRequest);
  const asked = receivedFrom(requestOf(sent, config.publicUrl));
  const early = await checkBeforeToken(db, asked, address);
  if (!('route' in early)) return checkWire(early, null);

  const { route } = early;
  const read = readInput(asked, route, () => readIdempotencyKey(sent.idempotency_key ?? null));
  read.catch(() => {}); // a refusal is reported in the guard's order below
  const verdict = await checkCall(
    engine,
    { guildId: guild.id, tokenId },
    {
      operation: route.name,
      params: route.params,
      guildId: route.guildId,
      address,
      requestId: request.call.requestId,
      readInput: () => read,
      idempotencyKey: sent.idempotency_key,
    },
  );
  const parsed = await read.catch(() => null);
  if (parsed?.ok !== true) return checkWire(verdict, null);
  const { input, confirmation } = parsed;
  const locale = localeOfRequest(request.request.headers);
  const described = await describeCalls(db, guild, [{ operation: route.name, input }], locale);
  return checkWire(verdict, {
    operation: route.name,
    sentence: described[0]?.sentence ?? '',
    sentinel: isDestructive(route.name, input)
      ? {
          expected: expectedSentinel(route.name, guild.id, input).concrete,
          matches: matchesSentinel(route.name, guild.id, input, confirmation),
        }
      : null,
  });
}

/** Runs the steps before the token. The token is chosen in the form, so it is known. */
async function checkBeforeToken(
  db: Database,
  asked: ReceivedRequest,
  address: string,
): Promise<Refused | { route: OperationRoute }> {
  const limited = await publicLimit(db.pool).refusalOf(address);
  if (limited !== null) return { step: 'limit', error: limited };
  const browser = refusalOf(() => refuseBrowsers(asked));
  if (browser instanceof ApiError) return { step: 'browser', error: browser };
  const route = refusalOf(() => findOperation(asked, () => {}));
  return route instanceof ApiError ? { step: 'route', error: route } : { route };
}

function refusalOf<T>(run: () => T): T | ApiError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The request as it would arrive. A GET has no body, because the API ignores it there as well. */
function requestOf(
  sent: {
    method: string;
    path: string;
    body?: string | undefined;
    content_type: string;
    origin?: string | undefined;
  },
  publicUrl: string,
): Request {
  const hasBody = sent.body !== undefined && sent.method !== 'GET' && sent.method !== 'HEAD';
  return new Request(new URL(`${publicUrl}${sent.path}`), {
    method: sent.method,
    headers: {
      ...(hasBody ? { 'Content-Type': sent.content_type } : {}),
      ...(sent.origin === undefined ? {} : { Origin: sent.origin }),
    },
    ...(hasBody ? { body: sent.body ?? null } : {}),
  });
}

function checkWire(verdict: Refused | Exclude<GuardVerdict, object>, call: CheckedCall | null) {
  const refused = typeof verdict === 'string' ? null : verdict;
  const isReplay = verdict === 'replayed';
  const stopsAt = refused === null ? STEPS.length : STEPS.indexOf(refused.step);
  const isSpared = (step: CheckStep) =>
    (call?.sentinel === null && DESTRUCTIVE_ONLY.includes(step)) || (isReplay && ONCE_ONLY.includes(step));
  const resultOf = (step: CheckStep, index: number): CheckResult => {
    if (index === stopsAt) return 'refused';
    if (isSpared(step)) return 'not_needed';
    return index < stopsAt ? 'passed' : 'not_reached';
  };
  return {
    checks: STEPS.map((step, index) => ({ step, result: resultOf(step, index) })),
    refusal: refused === null ? null : refusalWire(refused.error),
    is_replay: isReplay,
    call,
  };
}

/** The error that the caller would get, without the link to an approval page, because no approval was requested. */
function refusalWire({ code, status, message, details }: ApiError): {
  code: ErrorCode;
  status: number;
  message: string;
  issues: readonly { path: string; message: string }[];
} {
  const issues = details !== undefined && 'issues' in details ? details.issues : [];
  return { code, status, message, issues };
}

/** The result of a guard check, as the page receives it. */
export type CheckWire = ReturnType<typeof checkWire>;
