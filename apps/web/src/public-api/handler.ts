import {
  type ApiError,
  bearerSecret,
  entryOf,
  pathTemplate,
  type RestOperation,
  rateLimitFields,
  type Tier,
  tierOf,
} from '@bailiff/core';
import { type AdmittedToken, admit, type Balances, balancesOf } from '@bailiff/engine/calls/admission';
import { authorize } from '@bailiff/engine/calls/authorize';
import { isRead, performRead, readAgain } from '@bailiff/engine/calls/read-call';
import { answerTogether, type SentRead, sendTogether } from '@bailiff/engine/calls/read-together';
import { isStillRunning, performWrite } from '@bailiff/engine/calls/write-call';
import { type Patience, patience } from '@bailiff/engine/database/database-errors';
import { readOfTokenInTurn } from '@bailiff/engine/database/in-turn';
import type { Engine } from '@bailiff/engine/engine';
import { PUBLIC_LIMIT, publicLimit } from '#src/address-limit.ts';
import {
  type Answer,
  type ApiHandler,
  createApi,
  type Exchange,
  type RequestLog,
  type Watched,
} from '#src/http/kernel.ts';
import { DecisionWaits } from './decision-waits.ts';
import { findOperation, quickReadOf, readIdempotencyKey, readInput, refuseBrowsers } from './pipeline.ts';
import { preferredDecisionSeconds, preferredWaitMs } from './prefer.ts';

/** A call of the public API, with the values for the headers of its answer. */
interface PublicExchange extends Exchange {
  /** The time left for database work before a write is submitted. */
  readonly forStore: Patience;
  /** The budgets of the call, once they are known, or until then its token, once that is known. */
  budgets?: { readonly tier: Tier; readonly of: AdmittedToken | Balances };
  /** The token of a write, which is looked up while the request is counted. */
  admitting?: Promise<AdmittedToken | null> | undefined;
  /** A read whose answer may still change, for a caller who wants to wait for that. */
  undecided?: { readonly tokenId: string; readonly look: () => Promise<Answer> };
}

/** While a decision is pending, callers are told to ask again after this many seconds: a person has to act. */
const ASK_AGAIN_SECONDS = '5';

/**
 * The handler of the public API. Every answer is JSON, errors in the envelope, with `X-Request-Id`, `X-RateLimit-*`
 * and, once the token is known, `RateLimit` and `RateLimit-Policy` (decisions: Request pipeline).
 *
 * @param stopping fires when the process stops
 */
export function createPublicApi(
  engine: Engine,
  log: RequestLog,
  stopping: AbortSignal,
  watched: Watched = {},
): ApiHandler {
  const waits = new DecisionWaits(engine.waiters);
  return createApi<PublicExchange>({
    name: 'public api',
    log,
    ...watched,
    begin: (exchange) => {
      exchange.headers.set('Content-Type', 'application/json; charset=utf-8');
      exchange.headers.set('X-RateLimit-Limit', String(PUBLIC_LIMIT.requests));
      exchange.headers.set('X-RateLimit-Remaining', '0');
      return { ...exchange, forStore: patience() };
    },
    serve: async (exchange) => untilDecided(waits, stopping, exchange, await serve(engine, exchange)),
    refuse,
    complete: (exchange) => setBudgetHeaders(engine, exchange),
  });
}

/**
 * Runs the steps of the pipeline in order (decisions: Request pipeline). `authorize` runs steps 4 to 10, the engine 11
 * to 13.
 */
async function serve(engine: Engine, exchange: PublicExchange): Promise<Answer> {
  const quick = await serveQuickly(engine, exchange);
  if (quick !== null) return quick;
  const { received, forStore } = exchange;
  const bearer = bearerSecret(received.header('Authorization'));
  const inFull = () => serveInFull(engine, exchange);
  if (received.method !== 'GET' || bearer.kind !== 'secret') return inFull();
  return readOfTokenInTurn(engine.db, bearer.secret, forStore, inFull);
}

async function serveInFull(engine: Engine, exchange: PublicExchange): Promise<Answer> {
  const { received, address, requestId, headers, forStore } = exchange;
  refuseBrowsers(received);
  const route = findOperation(received, (allow) => headers.set('Allow', allow.join(', ')));
  exchange.operation = route.name;
  const idempotencyKey = () => readIdempotencyKey(received.header('Idempotency-Key'));
  const { http } = entryOf(route.name);
  const request = {
    operation: route.name,
    params: route.params,
    guildId: route.guildId,
    authorization: received.header('Authorization'),
    address,
    requestId,
    readInput: () => readInput(received, route, idempotencyKey),
  };

  const { token, call, confirmation, deniedBecause } = await authorize(
    engine,
    { ...request, admitting: exchange.admitting },
    (admitted) => {
      exchange.budgets = { of: admitted, tier: tierBeforeInput(route.name) };
    },
    forStore,
  );
  const tier = tierOf(call.operation, call.input);
  exchange.budgets = { of: token, tier };
  const onBalances = (balances: Balances) => {
    exchange.budgets = { of: balances, tier };
  };

  if (isRead(call)) {
    const body = await performRead(engine, { ...call, token, requestId, address }, onBalances, forStore);
    if (http.waits) {
      // Whoever waits must still be allowed to read when the answer comes.
      const look = async () => {
        const { token: now } = await authorize(engine, request, () => {});
        return { status: http.success, body: await readAgain(engine, { ...call, token: now }) };
      };
      exchange.undecided = { tokenId: token.id, look };
    }
    return { status: http.success, body };
  }
  const answer = await performWrite(
    engine,
    {
      ...call,
      guildId: token.guild.id,
      confirmation,
      idempotencyKey: idempotencyKey(),
      deniedBecause,
      actor: { source: 'token', token },
      requestId,
      address,
    },
    { onBalances, onReplayed: () => headers.set('Idempotent-Replayed', 'true') },
    forStore,
    preferredWaitMs(received.header('Prefer')),
  );
  if (isStillRunning(answer)) {
    const path = pathTemplate('actions.get').replace('{guildId}', token.guild.id);
    headers.set('Location', `/api/public/v1${path.replace('{actionId}', answer.body.action.id)}`);
  }
  return answer;
}

/**
 * Counts the request (step 1) and, if it is a quick read that no check refuses, answers it with the same statement. Null
 * if the call has to take the other way.
 */
async function serveQuickly(engine: Engine, exchange: PublicExchange): Promise<Answer | null> {
  const { address, headers, forStore } = exchange;
  const prepared = quickReadOf(exchange);
  let sent: SentRead | undefined;
  const counted = publicLimit(engine.db.pool).count(
    address,
    prepared === null
      ? () => {
          exchange.admitting = admitEarly(engine, exchange);
          return undefined;
        }
      : (counting) => {
          sent = sendTogether(engine, prepared, counting, forStore);
          return sent.checked.then(({ counts }) => counts);
        },
  );
  headers.set('X-RateLimit-Remaining', String(await forStore.within(counted)));
  if (sent === undefined) return null;
  exchange.operation = sent.prepared.operation;
  const onBalances = (balances: Balances) => {
    exchange.budgets = { of: balances, tier: 'read' };
  };
  const body = await answerTogether(engine, sent, onBalances, forStore);
  return body === null ? null : { status: 200, body };
}

/**
 * The answer to a read of something that somebody decides: once it is decided, if the caller wants to wait for that
 * (RFC 7240 `wait`), the process is not stopping, and not too many wait. Waiting takes no turn and costs nothing more.
 */
async function untilDecided(
  waits: DecisionWaits,
  stopping: AbortSignal,
  { undecided, received, headers }: PublicExchange,
  first: Answer,
): Promise<Answer> {
  if (undecided === undefined) return first;
  const seconds = isPending(first) ? preferredDecisionSeconds(received.header('Prefer')) : undefined;
  const waited =
    seconds === undefined
      ? null
      : await waits.until(
          { tokenId: undecided.tokenId, seconds, signals: [received.signal, stopping] },
          undecided.look,
          isPending,
        );
  if (waited !== null) headers.set('Preference-Applied', `wait=${seconds}`);
  const answer = waited ?? first;
  if (isPending(answer)) headers.set('Retry-After', ASK_AGAIN_SECONDS);
  return answer;
}

function isPending({ body }: Answer): boolean {
  return 'state' in body && body.state === 'pending';
}

/** Asks for the token of a write. Undefined for what the next steps may refuse without it. */
function admitEarly({ db }: Engine, { received }: PublicExchange): Promise<AdmittedToken | null> | undefined {
  const bearer = bearerSecret(received.header('Authorization'));
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(received.method);
  if (bearer.kind !== 'secret' || isRead || received.header('Origin') !== null) return undefined;
  const admitting = admit(db, bearer.secret);
  admitting.catch(() => {}); // the count may be refused first
  return admitting;
}

/**
 * Sets `RateLimit` and `RateLimit-Policy` to the balances of both budgets of the call's tier. For a call that was not
 * charged they are queried. If the database does not answer, the headers are left out.
 */
async function setBudgetHeaders(
  { db }: Engine,
  { budgets, headers, forStore }: PublicExchange,
): Promise<void> {
  if (budgets === undefined) return;
  const { of, tier } = budgets;
  const balances = 'token' in of ? of : (await forStore.within(balancesOf(db, of)).catch(() => null))?.[tier];
  if (balances === undefined) return;
  const fields = rateLimitFields(tier, balances);
  headers.set('RateLimit', fields.rateLimit);
  headers.set('RateLimit-Policy', fields.rateLimitPolicy);
}

/** The tier of an operation before its input is read. A mute counts as a short one, because most are. */
function tierBeforeInput(name: RestOperation): Tier {
  const { tier } = entryOf(name);
  return typeof tier === 'function' ? 'reversible_write' : tier;
}

function refuse(error: ApiError, { received, requestId, headers }: PublicExchange): Answer {
  if (error.status === 401) {
    const { kind } = bearerSecret(received.header('Authorization'));
    const reason = kind === 'none' ? '' : ', error="invalid_token"';
    headers.set('WWW-Authenticate', `Bearer realm="bailiff"${reason}`);
  }
  const hasKey = received.header('Idempotency-Key') !== null;
  return { status: error.status, body: error.envelope(requestId, { hasKey }) };
}
