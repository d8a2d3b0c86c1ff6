import {
  type ApiError,
  type Capability,
  DEVICE_GRANT_TYPE,
  DEVICE_INTERVAL_SECONDS,
  DEVICE_LIFETIME_SECONDS,
  dropUnseen,
  OAUTH_PATHS,
  plainMessage,
  proposedTokenName,
  readScope,
  shownUserCode,
} from '@bailiff/core';
import { pollDevice, startDevice } from '@bailiff/engine/tokens/device';
import type { IssuedToken } from '@bailiff/engine/tokens/mint';
import { revokeBySecret } from '@bailiff/engine/tokens/revoke-by-secret';
import type { Tracer } from '@bailiff/engine/tracing/spans';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type AddressLimit, createAddressLimit } from '#src/address-limit.ts';
import type { WebConfig } from '#src/config.ts';
import { Name } from '#src/dashboard-api/input.ts';
import { type Answer, type ApiHandler, createApi, type Exchange } from '#src/http/kernel.ts';
import type { RequestMeter } from '#src/request-meter.ts';
import { type Parameters, readParameters, required } from './parameters.ts';
import { DeviceRefusal } from './refusal.ts';

/** The paths of this API. Nothing else is below their folder. */
export const DEVICE_PATHS: readonly string[] = [OAUTH_PATHS.code, OAUTH_PATHS.token, OAUTH_PATHS.revoke];

/** The limits of requests per address (spec §8; the last by decisions: Device flow). */
const CODE_LIMIT = { requests: 20, windowSeconds: 600 };
const TOKEN_LIMIT = { requests: 120, windowSeconds: 600 };
const REVOKE_LIMIT = { requests: 20, windowSeconds: 600 };

export interface DeviceContext {
  readonly db: Database;
  readonly log: Logger;
  readonly config: Pick<WebConfig, 'dashboardUrl' | 'oauthClients'>;
  /** Absent if no metrics are kept. */
  readonly meter?: RequestMeter | undefined;
  /** Absent if no traces are made. */
  readonly tracer?: Tracer | undefined;
}

interface EndpointRequest {
  readonly parameters: Parameters;
  readonly address: string;
  readonly requestId: string;
}

interface Endpoint {
  readonly limit: AddressLimit;
  readonly handle: (context: DeviceContext, request: EndpointRequest) => Promise<object>;
}

/**
 * OAuth for clients: they request a code, poll until its owner has decided on `/device` (RFC 8628), and may revoke the
 * token (RFC 7009). Every answer is JSON that must not be stored. Errors have the RFC's shape, except the limit of an address, which has the
 * envelope of the other APIs (decisions: Device flow).
 */
export function createDeviceApi(context: DeviceContext): ApiHandler {
  const { pool } = context.db;
  const endpoints = new Map<string, Endpoint>([
    [OAUTH_PATHS.code, { limit: createAddressLimit(pool, 'device-code', CODE_LIMIT), handle: issueCodes }],
    [OAUTH_PATHS.token, { limit: createAddressLimit(pool, 'device-token', TOKEN_LIMIT), handle: issueToken }],
    [OAUTH_PATHS.revoke, { limit: createAddressLimit(pool, 'oauth-revoke', REVOKE_LIMIT), handle: revoke }],
  ]);
  return createApi({
    name: 'device api',
    log: context.log,
    meter: context.meter,
    tracer: context.tracer,
    begin: (exchange) => {
      exchange.headers.set('Pragma', 'no-cache'); // RFC 6749 §5.1 asks for it beside Cache-Control
      return exchange;
    },
    serve: async (exchange) => {
      try {
        return await serve(context, endpoints.get(exchange.url.pathname), exchange);
      } catch (error) {
        if (error instanceof DeviceRefusal) return answerOf(error);
        throw error;
      }
    },
    refuse,
  });
}

async function serve(
  context: DeviceContext,
  endpoint: Endpoint | undefined,
  exchange: Exchange,
): Promise<Answer> {
  const { received, url, address, requestId, headers } = exchange;
  const { request } = received;
  if (endpoint === undefined) throw new DeviceRefusal('invalid_request', 'There is no such endpoint.', 404);
  exchange.operation = url.pathname;
  await endpoint.limit.count(address);
  if (request.method !== 'POST') {
    headers.set('Allow', 'POST');
    throw new DeviceRefusal('invalid_request', `This endpoint takes POST, not ${request.method}.`, 405);
  }
  const parameters = await readParameters(request);
  return { status: 200, body: await endpoint.handle(context, { parameters, address, requestId }) };
}

async function issueCodes(
  { db, config: { dashboardUrl, oauthClients } }: DeviceContext,
  { parameters, address }: EndpointRequest,
): Promise<object> {
  const clientId = required(parameters, 'client_id');
  const client = oauthClients.get(clientId);
  if (client === undefined) {
    throw new DeviceRefusal('invalid_client', 'No client is registered with this client_id.');
  }
  const clientName = clientNameOf(parameters);
  const tokenName = proposedTokenName(dropUnseen(clientName ?? '').trim() || client);
  const asking = { clientId, clientName, scope: scopeOf(parameters), address, tokenName };
  const { deviceCode, userCode } = await startDevice(db, asking);
  const shown = shownUserCode(userCode);
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: `${dashboardUrl}/device`,
    verification_uri_complete: `${dashboardUrl}/device?user_code=${shown}`,
    expires_in: DEVICE_LIFETIME_SECONDS,
    interval: DEVICE_INTERVAL_SECONDS,
  };
}

/** Refuses control characters at its ends too, which `Name` would cut off. */
const ClientName = z
  .string()
  .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters')
  .pipe(Name);

/** @throws DeviceRefusal invalid_request for a name that is too long or has control characters. */
function clientNameOf(parameters: Parameters): string | null {
  const given = parameters.get('client_name');
  if (given === undefined) return null;
  const name = ClientName.safeParse(given, { error: plainMessage });
  if (name.success) return name.data;
  throw new DeviceRefusal('invalid_request', `client_name ${name.error.issues[0]?.message}.`);
}

/** @throws DeviceRefusal invalid_scope */
function scopeOf(parameters: Parameters): readonly Capability[] | null {
  const scope = parameters.get('scope');
  if (scope === undefined) return null;
  const read = readScope(scope);
  if (!read.ok) throw new DeviceRefusal('invalid_scope', read.problem);
  return read.capabilities;
}

async function issueToken(
  { db }: DeviceContext,
  { parameters, address, requestId }: EndpointRequest,
): Promise<object> {
  if (required(parameters, 'grant_type') !== DEVICE_GRANT_TYPE) {
    throw new DeviceRefusal('unsupported_grant_type', `grant_type must be ${DEVICE_GRANT_TYPE}.`);
  }
  const clientId = required(parameters, 'client_id');
  const deviceCode = required(parameters, 'device_code');
  const poll = await pollDevice(db, { deviceCode, clientId, requestId, address });
  if (poll.issued === null) throw new DeviceRefusal(poll.error, poll.why);
  return tokenWire(poll.issued);
}

/**
 * Revokes the token whose secret is sent (RFC 7009 §2). Everything else is answered alike, so nobody learns whether a
 * token exists. The secret is what shows that the caller may, whichever client it was issued to.
 */
async function revoke(
  { db }: DeviceContext,
  { parameters, address, requestId }: EndpointRequest,
): Promise<object> {
  await revokeBySecret(db, { secret: required(parameters, 'token'), address, requestId });
  return {};
}

function tokenWire({ token, secret }: IssuedToken): object {
  const { expiresAt, createdAt } = token;
  return {
    access_token: secret,
    token_type: 'Bearer',
    ...(expiresAt === null ? {} : { expires_in: (expiresAt.getTime() - createdAt.getTime()) / 1000 }),
    token_id: token.id,
    guild_id: token.guildId,
    scope: token.capabilities.join(' '),
  };
}

/**
 * The answer for errors that the request did not cause, in the RFC's shape. Only the limit of an address has the
 * envelope.
 */
function refuse(error: ApiError, { requestId, headers }: Exchange): Answer {
  if (error.code === 'RATE_LIMITED') return { status: error.status, body: error.envelope(requestId) };
  if (error.status !== 503) return answerOf(new DeviceRefusal('server_error', error.message, error.status));
  headers.set('Retry-After', '1');
  return answerOf(new DeviceRefusal('temporarily_unavailable', error.message, 503));
}

function answerOf({ code, message, status }: DeviceRefusal): Answer {
  return { status, body: { error: code, error_description: message } };
}
