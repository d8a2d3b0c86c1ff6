import {
  ApiError,
  CapabilitySet,
  type Issue,
  issuesOf,
  parseAddress,
  parseAllowlist,
  Snowflake,
  text,
  wordedParams,
} from '@bailiff/core';
import { DECISIONS } from '@bailiff/engine/tokens/approvals';
import { DEFAULT_LIFETIME, LIFETIME_NAMES } from '@bailiff/engine/tokens/token-view';
import { z } from 'zod';
import { readJsonBody } from '#src/http/body.ts';
import { PUBLIC_API_PATH } from '#src/public-api/pipeline.ts';
import type { DashboardRequest } from './route.ts';
import { issueMessages } from './translate-errors.ts';

const MOST_NAME_CHARACTERS = 64;

/** A name that an owner chooses. */
export const Name = z
  .string()
  .trim()
  .pipe(text(MOST_NAME_CHARACTERS))
  .refine(
    (name) => !/\p{Cc}/u.test(name),
    wordedParams({ message: 'must not contain control characters', say: { key: 'control' } }),
  );

const Allowlist = z.array(z.string()).transform((entries, context) => {
  const parsed = parseAllowlist(entries);
  if (parsed.ok) return parsed.entries;
  for (const { index, ...issue } of parsed.issues) {
    context.addIssue({ code: 'custom', path: [index], ...wordedParams(issue) });
  }
  return z.NEVER;
});

const Capabilities = CapabilitySet.refine(
  (set) => set.length > 0,
  wordedParams({ message: 'must name at least one capability', say: { key: 'noCapability' } }),
);

const ExpiresIn = z.enum(LIFETIME_NAMES);

/** What an owner chooses for a token, besides its name, wherever it comes from. */
const TOKEN_CHOICES = {
  capabilities: Capabilities.optional(),
  expires_in: ExpiresIn.default(DEFAULT_LIFETIME),
  ip_allowlist: Allowlist.default([]),
};

export const CreateToken = z.strictObject({
  guild_id: Snowflake,
  name: Name,
  kind: z.literal('rest'),
  ...TOKEN_CHOICES,
});

export const RenewToken = z.strictObject({ expires_in: ExpiresIn.optional() });

export const RotateToken = z.strictObject({ overlap: z.boolean().default(false) });

export const UpdateToken = z
  .strictObject({ name: Name.optional(), ip_allowlist: Allowlist.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'must change the name, the ip_allowlist or both');

export const DecideApproval = z.strictObject({ decision: z.enum(DECISIONS) });

const UserCode = z.string().min(1).max(64);

export const ConfirmDevice = z.strictObject({
  user_code: UserCode,
  guild_id: Snowflake,
  ...TOKEN_CHOICES,
  name: Name.optional(),
});

/** The body of a request about a waiting client. */
export const DeviceCode = z.strictObject({ user_code: UserCode });

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A value that a header can carry; others could not be sent. */
const HeaderValue = z.string().regex(/^[\x20-\x7e]*$/, 'must consist of visible ASCII characters');

/** A request to the public API that names a token instead of sending its secret (decisions: Guard check). */
export const CheckedRequest = z.strictObject({
  token_id: z.string().max(64),
  method: z.enum(METHODS),
  path: z
    .string()
    .max(2048)
    .refine((path) => path.startsWith(`${PUBLIC_API_PATH}/`), `must begin with ${PUBLIC_API_PATH}/`),
  body: z.string().optional(),
  content_type: HeaderValue.max(255).default('application/json'),
  origin: HeaderValue.max(2048).optional(),
  idempotency_key: z.string().max(2048).optional(),
  address: z
    .string()
    .max(64)
    .refine((address) => parseAddress(address) !== null, 'must be an IPv4 or IPv6 address'),
});

/** More than a guild of Discord's has. */
const MOST_ROLES = 500;

export const UpdateGrants = z.strictObject({
  grants: z.array(z.strictObject({ role_id: Snowflake, capabilities: CapabilitySet })).max(MOST_ROLES),
});

/**
 * The body of a request; an absent one counts as `{}`.
 *
 * @throws ApiError VALIDATION_FAILED: 400 or 413 if it cannot be read, 422 if its fields are wrong.
 */
export async function bodyOf<Schema extends z.ZodType>(
  { request }: DashboardRequest,
  schema: Schema,
  mostBytes?: number,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse((await readJsonBody(request, mostBytes)) ?? {}, {
    error: issueMessages(request.headers),
  });
  if (parsed.success) return parsed.data;
  throw invalid(422, issuesOf(parsed.error));
}

/**
 * The guild that the query names.
 *
 * @throws ApiError VALIDATION_FAILED 400 if the query names no guild.
 */
export function guildIdOf({ query }: DashboardRequest): string {
  const parsed = Snowflake.safeParse(query.get('guild_id') ?? '');
  if (parsed.success) return parsed.data;
  throw invalid(400, [
    { path: 'guild_id', message: 'must be the id of a guild: a string of 17 to 20 digits' },
  ]);
}

/** The error for invalid input. */
export function invalid(status: 400 | 422, issues: readonly Issue[]): ApiError {
  const [first] = issues;
  const message =
    first === undefined ? 'The request is not valid.' : `${first.path || 'The body'}: ${first.message}.`;
  return new ApiError('VALIDATION_FAILED', message, { status, details: { issues } });
}
