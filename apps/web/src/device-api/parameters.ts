import { ApiError } from '@bailiff/core';
import { mediaTypeOf, readTextBody } from '#src/http/body.ts';
import { DeviceRefusal } from './refusal.ts';

/** The characters that RFC 6749 allows in a parameter (appendix A, VSCHAR). */
const VISIBLE = /^[\x20-\x7e]*$/;
/** Parameters for people, which RFC 6749 does not have. Whoever uses one checks it. */
const FOR_PEOPLE = ['client_name'];

/** The parameters of a request by name; one without a value counts as absent (RFC 6749 §3.2). */
export type Parameters = ReadonlyMap<string, string>;

/**
 * The parameters of a request, from a form as in RFC 8628 or from JSON.
 *
 * @throws DeviceRefusal invalid_request: 413 over 64 KiB, else 400.
 */
export async function readParameters(request: Request): Promise<Parameters> {
  const text = await readText(request);
  switch (mediaTypeOf(request)) {
    case 'application/x-www-form-urlencoded':
      return collect([...new URLSearchParams(text)]);
    case 'application/json':
      return collect(fieldsOf(text));
    default:
      throw unreadable('Send a form (application/x-www-form-urlencoded) or JSON (application/json).');
  }
}

/**
 * The value of a parameter.
 *
 * @throws DeviceRefusal invalid_request if it is absent.
 */
export function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw unreadable(`${name} is missing.`);
  return value;
}

async function readText(request: Request): Promise<string> {
  try {
    return await readTextBody(request);
  } catch (error) {
    if (error instanceof ApiError) throw new DeviceRefusal('invalid_request', error.message, error.status);
    throw error;
  }
}

function fieldsOf(text: string): [string, unknown][] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unreadable('The body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw unreadable('The body must be a JSON object.');
  }
  return Object.entries(body);
}

function collect(fields: readonly [string, unknown][]): Parameters {
  const parameters = new Map<string, string>();
  for (const [name, value] of fields) {
    if (value === '' || value === null) continue;
    const isPlain = typeof value === 'string' && (FOR_PEOPLE.includes(name) || VISIBLE.test(value));
    if (!isPlain) throw unreadable(`${name} must be plain text.`);
    if (parameters.has(name)) throw unreadable(`${name} is given more than once.`);
    parameters.set(name, value);
  }
  return parameters;
}

function unreadable(why: string): DeviceRefusal {
  return new DeviceRefusal('invalid_request', why);
}
