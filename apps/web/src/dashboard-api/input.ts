import {
  ApiError,
  CapabilitySet,
  type Issue,
  issuesOf,
  parseAllowlist,
  plainMessage,
  Snowflake,
  text,
} from '@bailiff/core';
import { DECISIONS, DEFAULT_LIFETIME, LIFETIME_NAMES } from '@bailiff/engine';
import { z } from 'zod';
import { readJsonBody } from '../public-api/request-input.ts';
import type { DashboardRequest } from './route.ts';

const MOST_NAME_CHARACTERS = 64;

/** A name that an owner gives something. */
export const Name = z
  .string()
  .trim()
  .pipe(text(MOST_NAME_CHARACTERS))
  .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');

const Allowlist = z.array(z.string()).transform((entries, context) => {
  const parsed = parseAllowlist(entries);
  if (parsed.ok) return parsed.entries;
  for (const { index, message } of parsed.issues) {
    context.addIssue({ code: 'custom', path: [index], message });
  }
  return z.NEVER;
});

const Capabilities = CapabilitySet.refine((set) => set.length > 0, 'must name at least one capability');

const ExpiresIn = z.enum(LIFETIME_NAMES);

export const CreateToken = z.strictObject({
  guild_id: Snowflake,
  name: Name,
  kind: z.literal('rest'),
  capabilities: Capabilities.optional(),
  expires_in: ExpiresIn.default(DEFAULT_LIFETIME),
  ip_allowlist: Allowlist.default([]),
});

export const RenewToken = z.strictObject({ expires_in: ExpiresIn.optional() });

export const RotateToken = z.strictObject({ overlap: z.boolean().default(false) });

export const UpdateToken = z
  .strictObject({ name: Name.optional(), ip_allowlist: Allowlist.optional() })
  .refine((changes) => Object.keys(changes).length > 0, 'must change the name, the ip_allowlist or both');

export const DecideApproval = z.strictObject({ decision: z.enum(DECISIONS) });

const UserCode = z.string().min(1).max(64);

export const ConfirmDevice = z.strictObject({ user_code: UserCode, guild_id: Snowflake });

export const DenyDevice = z.strictObject({ user_code: UserCode });

export const UpdateGrants = z.strictObject({
  grants: z.array(z.strictObject({ role_id: Snowflake, capabilities: CapabilitySet })).max(250),
});

/**
 * The body of a request; an absent one counts as `{}`.
 *
 * @throws ApiError VALIDATION_FAILED: 400 or 413 when it cannot be read, 422 when its fields are wrong.
 */
export async function bodyOf<Schema extends z.ZodType>(
  { request }: DashboardRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse((await readJsonBody(request)) ?? {}, { error: plainMessage });
  if (parsed.success) return parsed.data;
  throw invalid(422, issuesOf(parsed.error));
}

/** @throws ApiError VALIDATION_FAILED 400 when the query names no guild. */
export function guildIdOf({ query }: DashboardRequest): string {
  const parsed = Snowflake.safeParse(query.get('guild_id') ?? '');
  if (parsed.success) return parsed.data;
  throw invalid(400, [
    { path: 'guild_id', message: 'must be the id of a guild: a string of 17 to 20 digits' },
  ]);
}

/** @throws ApiError VALIDATION_FAILED 400 when the query has no user code. */
export function userCodeOf({ query }: DashboardRequest): string {
  const parsed = UserCode.safeParse(query.get('user_code') ?? '');
  if (parsed.success) return parsed.data;
  throw invalid(400, [{ path: 'user_code', message: 'must be the code that the client shows' }]);
}

function invalid(status: 400 | 422, issues: readonly Issue[]): ApiError {
  const [first] = issues;
  const message =
    first === undefined ? 'The request is not valid.' : `${first.path || 'The body'}: ${first.message}.`;
  return new ApiError('VALIDATION_FAILED', message, { status, details: { issues } });
}
