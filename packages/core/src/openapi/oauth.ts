import { OAUTH_ENDPOINTS, OAUTH_ERRORS, type OAuthEndpoint } from '#src/oauth.ts';
import { headerRef } from './headers.ts';
import { jsonSchema } from './json-schema.ts';

type Json = Readonly<Record<string, unknown>>;

export const OAUTH_TAG = {
  name: 'oauth',
  description:
    'Getting a token for a program with OAuth 2.0 device authorization, and giving it back. These paths are outside ' +
    '`/api/public/v1`, and their errors have the shape of the RFCs.',
};

/** The schema of the errors of OAuth, for the document's components. */
export const OAUTH_ERROR_SCHEMA = {
  type: 'object',
  required: ['error', 'error_description'],
  properties: {
    error: {
      type: 'string',
      enum: Object.keys(OAUTH_ERRORS),
      description: Object.entries(OAUTH_ERRORS)
        .map(([code, meaning]) => `${code}: ${meaning}.`)
        .join(' '),
    },
    error_description: { type: 'string', description: 'For the person who runs the program' },
  },
};

const HEADERS = { 'X-Request-Id': headerRef('RequestId') };
const WAIT = { ...HEADERS, 'Retry-After': headerRef('RetryAfter') };

/** The paths of OAuth in the OpenAPI document. They need no token and have a server of their own. */
export function oauthPaths(origin: string, schemas: Record<string, unknown>): Record<string, Json> {
  return Object.fromEntries(
    OAUTH_ENDPOINTS.map((endpoint) => [
      endpoint.path,
      { [endpoint.method.toLowerCase()]: operationOf(endpoint, origin, schemas) },
    ]),
  );
}

function operationOf(endpoint: OAuthEndpoint, origin: string, schemas: Record<string, unknown>): Json {
  const { id, method, summary, description, input, output, example } = endpoint;
  const limited = response('RATE_LIMITED: Too many requests from the address.', 'ApiError', WAIT);
  const schema = jsonSchema(output, schemas, 'output');
  const success = {
    description: summary,
    headers: method === 'GET' ? {} : HEADERS,
    content: { 'application/json': { schema, example: example.output } },
  };
  const about = {
    operationId: id,
    summary,
    description,
    tags: [OAUTH_TAG.name],
    security: [],
    servers: [{ url: origin }],
  };
  if (method === 'GET') return { ...about, responses: { '200': success, '429': limited } };
  const body = { schema: jsonSchema(input, schemas, 'input'), example: example.input };
  return {
    ...about,
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': body, 'application/json': body },
    },
    responses: {
      '200': success,
      '400': response('What `error` says', 'OAuthError', HEADERS),
      '413': response('invalid_request: more than 64 KiB', 'OAuthError', HEADERS),
      '429': limited,
      '500': response('server_error', 'OAuthError', HEADERS),
      '503': response('temporarily_unavailable', 'OAuthError', WAIT),
    },
  };
}

function response(description: string, schema: 'ApiError' | 'OAuthError', headers: Json): Json {
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { description, headers, content };
}
