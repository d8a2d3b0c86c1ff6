/** Descriptions of the headers of answers. */
export const HEADERS = {
  RequestId: { description: 'Names this answer in our logs.', required: true, schema: { type: 'string' } },
  AddressLimit: {
    description: 'Requests an address may make in five minutes.',
    required: true,
    schema: { type: 'integer' },
  },
  AddressRemaining: {
    description: 'Requests the address has left.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimit: {
    description:
      "What is left of the token's and of the issuing user's budget of the call's tier " +
      '(draft-ietf-httpapi-ratelimit-headers): `r` calls, and `t` seconds until it is full. `tier` names the budget.',
    required: true,
    schema: { type: 'string' },
    example: '"token";r=5;t=60;tier="destructive_write", "user";r=5;t=60;tier="destructive_write"',
  },
  RateLimitPolicy: {
    description: 'The size of those budgets: `q` calls, which an empty budget has again after `w` seconds.',
    required: true,
    schema: { type: 'string' },
    example: '"token";q=6;w=360;tier="destructive_write", "user";q=6;w=360;tier="destructive_write"',
  },
  RetryAfter: {
    description: 'Whole seconds to wait, at least 1.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Again: {
    description: 'While it is pending: whole seconds until it is worth asking again, at least 1.',
    schema: { type: 'integer', minimum: 1 },
  },
  PreferenceApplied: {
    description: 'The `wait` of `Prefer`, where the answer waited.',
    schema: { type: 'string', pattern: '^wait=\\d+$' },
  },
  Challenge: {
    description: 'The scheme to authenticate with (RFC 6750).',
    required: true,
    schema: { type: 'string', pattern: '^Bearer ' },
  },
  Location: {
    description: 'Where the action can be read.',
    required: true,
    schema: { type: 'string' },
  },
  Replayed: {
    description: 'Present where the answer is that of an earlier call with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Headers that every answer has. */
export const COMMON_HEADERS = {
  'X-Request-Id': headerRef('RequestId'),
  'X-RateLimit-Limit': headerRef('AddressLimit'),
  'X-RateLimit-Remaining': headerRef('AddressRemaining'),
};

export function headerRef(name: keyof typeof HEADERS): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
