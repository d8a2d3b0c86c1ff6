import { ApiError } from '@bailiff/core';

/** The largest request body, in bytes (decisions: Errors). */
export const MOST_BODY_BYTES = 64 * 1024;

/**
 * The JSON value of a request's body; undefined if it has none.
 *
 * @throws ApiError VALIDATION_FAILED: 413 over 64 KiB, 400 for another content type, broken UTF-8 or broken JSON.
 */
export async function readJsonBody(request: Request, mostBytes = MOST_BODY_BYTES): Promise<unknown> {
  const bytes = await readBody(request, mostBytes);
  if (bytes.length === 0) return undefined;
  if (mediaTypeOf(request) !== 'application/json') {
    throw unreadable(400, 'Send the body as JSON, with Content-Type: application/json.');
  }
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(400, 'The body is not valid JSON.');
  }
}

/**
 * The text of a request's body; empty if it has none.
 *
 * @throws ApiError VALIDATION_FAILED: 413 over 64 KiB, 400 for broken UTF-8.
 */
export async function readTextBody(request: Request): Promise<string> {
  return decode(await readBody(request));
}

/** The media type that a request declares, in lower case without parameters; empty if it declares none. */
export function mediaTypeOf(request: Request): string {
  const [mediaType = ''] = (request.headers.get('Content-Type') ?? '').split(';');
  return mediaType.trim().toLowerCase();
}

/** The error for an unreadable request; `field` is the wrong header, or empty for the body. */
export function unreadable(status: 400 | 413, message: string, field = ''): ApiError {
  return new ApiError('VALIDATION_FAILED', message, {
    status,
    details: { issues: [{ path: field, message }] },
  });
}

/**
 * The bytes of a request's body; none if it has none.
 *
 * @throws ApiError VALIDATION_FAILED: 413 over 64 KiB, 400 if it breaks off.
 */
export async function readBody(request: Request, mostBytes = MOST_BODY_BYTES): Promise<Uint8Array> {
  const tooLarge = () => unreadable(413, `The body is larger than ${mostBytes} bytes.`);
  if (Number(request.headers.get('Content-Length') ?? 0) > mostBytes) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.length;
      if (length > mostBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw unreadable(400, 'The body broke off.');
  }
  if (length > mostBytes) throw tooLarge();
  return Buffer.concat(chunks, length);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable(400, 'The body is not UTF-8. Send it in UTF-8, not compressed.');
  }
}
