import { ApiError } from '@bailiff/core';

/** Largest request body, in bytes (decisions: Errors). */
export const MOST_BODY_BYTES = 64 * 1024;

/**
 * The JSON value of a request's body; undefined when it has none.
 *
 * @throws ApiError VALIDATION_FAILED: 413 over 64 KiB, 400 for another content type, broken UTF-8 or broken JSON.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  const [mediaType = ''] = (request.headers.get('Content-Type') ?? '').split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') {
    throw unreadable(400, 'Send the body as JSON, with Content-Type: application/json.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw unreadable(400, 'The body is not valid JSON.');
  }
}

/** @throws ApiError VALIDATION_FAILED: 413 over 64 KiB. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const tooLarge = () => unreadable(413, `The body is larger than ${MOST_BODY_BYTES} bytes.`);
  if (Number(request.headers.get('Content-Length') ?? 0) > MOST_BODY_BYTES) throw tooLarge();
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.length;
      if (length > MOST_BODY_BYTES) break;
      chunks.push(chunk);
    }
  } catch {
    throw unreadable(400, 'The body broke off.');
  }
  if (length > MOST_BODY_BYTES) throw tooLarge();
  return Buffer.concat(chunks, length);
}

/**
 * The `Idempotency-Key` of a request, or undefined.
 *
 * @throws ApiError VALIDATION_FAILED 400 for a key that is not 1 to 255 visible ASCII characters (decisions: Idempotency).
 */
export function readIdempotencyKey(header: string | null): string | undefined {
  if (header === null) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw unreadable(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters.', 'Idempotency-Key');
}

function unreadable(status: 400 | 413, message: string, path = ''): ApiError {
  return new ApiError('VALIDATION_FAILED', message, { status, details: { issues: [{ path, message }] } });
}
