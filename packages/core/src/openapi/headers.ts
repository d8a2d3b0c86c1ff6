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
    description: "What the token's and the issuing user's budgets hold.",
    required: true,
    schema: { type: 'string' },
  },
  RateLimitPolicy: {
    description: 'The size of those budgets.',
    required: true,
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Whole seconds to wait, at least 1.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
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
