import { z } from 'zod';
import { CAPABILITIES } from './capabilities.ts';
import { DEVICE_GRANT_TYPE, DEVICE_INTERVAL_SECONDS, DEVICE_LIFETIME_SECONDS } from './device.ts';
import { Snowflake } from './ids.ts';
import { EXAMPLE_IDS } from './operations/example-values.ts';

/** The paths of OAuth, below the origin of the API. */
export const OAUTH_PATHS = {
  metadata: '/.well-known/oauth-authorization-server',
  code: '/api/oauth/device/code',
  token: '/api/oauth/device/token',
  revoke: '/api/oauth/revoke',
} as const;

/** The metadata of the authorization server (RFC 8414 §2). Both origins are without a trailing slash. */
export function oauthMetadata(publicUrl: string, dashboardUrl: string) {
  return {
    issuer: publicUrl,
    device_authorization_endpoint: `${publicUrl}${OAUTH_PATHS.code}`,
    token_endpoint: `${publicUrl}${OAUTH_PATHS.token}`,
    revocation_endpoint: `${publicUrl}${OAUTH_PATHS.revoke}`,
    scopes_supported: CAPABILITIES,
    // There is no authorization endpoint that could answer with a response type.
    response_types_supported: [],
    grant_types_supported: [DEVICE_GRANT_TYPE],
    // Clients are programs on people's computers and have no secret (RFC 8628 §5.6).
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    service_documentation: `${dashboardUrl}/docs/api`,
  };
}

/** An endpoint of OAuth as the documents describe it. */
export interface OAuthEndpoint {
  readonly id: `oauth.${string}`;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly example: { readonly input: Readonly<Record<string, string>>; readonly output: object };
}

const Url = z.url();
const Words = z.array(z.string());
const ClientId = z
  .string()
  .describe('bailiff-cli for a program of your own, or one that the operator registered');

export const OAUTH_ENDPOINTS: readonly OAuthEndpoint[] = [
  {
    id: 'oauth.metadata',
    method: 'GET',
    path: OAUTH_PATHS.metadata,
    summary: 'Find the endpoints',
    description: 'The metadata of the authorization server (RFC 8414).',
    input: z.object({}),
    output: z.object({
      issuer: Url,
      device_authorization_endpoint: Url,
      token_endpoint: Url,
      revocation_endpoint: Url,
      scopes_supported: Words,
      response_types_supported: Words,
      grant_types_supported: Words,
      token_endpoint_auth_methods_supported: Words,
      revocation_endpoint_auth_methods_supported: Words,
      service_documentation: Url,
    }),
    example: { input: {}, output: oauthMetadata('https://bailiff.example', 'https://bailiff.example') },
  },
  {
    id: 'oauth.device.code',
    method: 'POST',
    path: OAUTH_PATHS.code,
    summary: 'Ask for a code',
    description:
      "Begins the device flow (RFC 8628 §3.1). Show the user code and its page to the guild's owner.",
    input: z.object({
      client_id: ClientId,
      scope: z
        .string()
        .max(1000)
        .optional()
        .describe(
          'The capabilities that the token needs, separated by spaces. Default: all that the owner has',
        ),
      client_name: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('What the program calls itself. The owner sees it as unverified'),
    }),
    output: z.object({
      device_code: z.string(),
      user_code: z.string(),
      verification_uri: Url,
      verification_uri_complete: Url,
      expires_in: z.int().min(1),
      interval: z.int().min(1),
    }),
    example: {
      input: { client_id: 'bailiff-cli', scope: 'bans.read bans.write', client_name: 'Nightly cleanup' },
      output: {
        device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eSkg',
        user_code: 'BCDF-GHJK',
        verification_uri: 'https://bailiff.example/device',
        verification_uri_complete: 'https://bailiff.example/device?user_code=BCDF-GHJK',
        expires_in: DEVICE_LIFETIME_SECONDS,
        interval: DEVICE_INTERVAL_SECONDS,
      },
    },
  },
  {
    id: 'oauth.device.token',
    method: 'POST',
    path: OAUTH_PATHS.token,
    summary: 'Fetch the token',
    description:
      'Poll with the device code, `interval` seconds after each answer, until the owner has decided (RFC 8628 §3.4). ' +
      'Until then the error is `authorization_pending`. The token is in one answer only.',
    input: z.object({
      grant_type: z.enum([DEVICE_GRANT_TYPE]),
      device_code: z.string().describe('From the answer that also had the user code'),
      client_id: ClientId,
    }),
    output: z.object({
      access_token: z.string(),
      token_type: z.enum(['Bearer']),
      expires_in: z.number().optional().describe('In seconds. Absent if the token never expires'),
      token_id: z.string(),
      guild_id: Snowflake,
      scope: z.string().describe('The capabilities that the token has, separated by spaces'),
    }),
    example: {
      input: {
        grant_type: DEVICE_GRANT_TYPE,
        device_code: 'GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eSkg',
        client_id: 'bailiff-cli',
      },
      output: {
        access_token: 'svcpat_…',
        token_type: 'Bearer',
        expires_in: 7_776_000,
        token_id: 'tok_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c',
        guild_id: EXAMPLE_IDS.guild,
        scope: 'bans.read',
      },
    },
  },
  {
    id: 'oauth.revoke',
    method: 'POST',
    path: OAUTH_PATHS.revoke,
    summary: 'Give a token back',
    description:
      'Revokes the token permanently (RFC 7009). The answer is the same for a token that is unknown or was revoked ' +
      'before. Only the token itself can be sent, from any address.',
    input: z.object({
      token: z.string().describe('The token, as it was shown'),
      token_type_hint: z.string().optional().describe('Ignored'),
      client_id: z.string().optional().describe('Ignored'),
    }),
    output: z.object({}),
    example: { input: { token: '$TOKEN' }, output: {} },
  },
];

/** The errors of these endpoints (RFC 6749 §5.2, RFC 8628 §3.5), and what to do about each. */
export const OAUTH_ERRORS = {
  authorization_pending: 'Poll again after the interval',
  slow_down: 'Wait 5 seconds longer between polls from now on',
  access_denied: 'Stop: the owner refused, or the guild can no longer have the token',
  expired_token: 'Start again for a new code',
  invalid_grant: "The device code is unknown, another client's or was redeemed; start again",
  invalid_scope: 'The scope has a word that is no capability, or nothing of it is left that the owner has',
  invalid_client: 'Nobody has registered this client_id',
  invalid_request: 'The request is wrong; repeating it does not help',
  unsupported_grant_type: 'The request is wrong; repeating it does not help',
  temporarily_unavailable: 'Try again after Retry-After',
  server_error: 'Try again later',
} as const;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;
