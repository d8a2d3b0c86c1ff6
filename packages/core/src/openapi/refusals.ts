import { ERRORS, type ErrorCode } from '#src/errors.ts';
import { EXAMPLE_REQUEST_ID } from '#src/operations/example-values.ts';
import type { RestEntry } from '#src/operations/index.ts';
import { REFUSALS, type RefusalName } from './error-examples.ts';
import { COMMON_HEADERS, headerRef } from './headers.ts';

/** When an operation can be answered with an error; always, if nothing is said. */
const WHEN: Readonly<Partial<Record<RefusalName, (entry: RestEntry) => boolean>>> = {
  Forbidden: (entry) => !needsApproval(entry),
  ForbiddenOrUnapproved: needsApproval,
  AlreadyClaimed: can('ALREADY_CLAIMED'),
  TooLarge: isWrite,
  Invalid: (entry) => isWrite(entry) && !needsApproval(entry),
  InvalidOrUnconfirmed: needsApproval,
  // Whether a write happened is unknown too where the connection to the database breaks while it is committed.
  UpstreamFailed: (entry) => isWrite(entry) || entry.performedBy === 'bot',
};

/** Whether a call has a body, and so can be refused because of the body. */
export function isWrite({ http }: RestEntry): boolean {
  return http.method !== 'GET';
}

function needsApproval({ sentinel }: RestEntry): boolean {
  return sentinel !== undefined;
}

function can(code: ErrorCode) {
  return ({ errors = [] }: RestEntry) => errors.includes(code);
}

/** The error answers of an operation, by status. Components that they refer to are added to `components`. */
export function refusalsOf(entry: RestEntry, components: Record<string, unknown>): Record<string, object> {
  const names = (Object.keys(REFUSALS) as RefusalName[]).filter((name) => WHEN[name]?.(entry) ?? true);
  return Object.fromEntries(
    names.map((name) => {
      components[name] = responseOf(name);
      return [String(REFUSALS[name][0].status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function responseOf(name: RefusalName): object {
  const [{ status }] = REFUSALS[name];
  const codes = [...new Set(REFUSALS[name].map(({ code }) => code))];
  const code = { type: 'string', enum: codes };
  return {
    description: codes.map((each) => `${each}: ${ERRORS[each].meaning}`).join(' '),
    headers: {
      ...COMMON_HEADERS,
      ...(status === 401 ? { 'WWW-Authenticate': headerRef('Challenge') } : {}),
      ...(status === 429 || status === 503 ? { 'Retry-After': headerRef('RetryAfter') } : {}),
    },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ApiError' },
            { type: 'object', properties: { error: { type: 'object', properties: { code } } } },
          ],
        },
        examples: examplesOf(name),
      },
    },
  };
}

/** Complete answers: one of each code, and a further one where the same code tells of something else. */
function examplesOf(name: RefusalName): object {
  return Object.fromEntries(
    REFUSALS[name].map((error, index, all) => {
      const isRepeated = all.findIndex(({ code }) => code === error.code) < index;
      const key = isRepeated ? `${error.code}_${index + 1}` : error.code;
      return [key, { summary: error.message, value: error.envelope(EXAMPLE_REQUEST_ID) }];
    }),
  );
}
