import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import { refusal } from './errors.ts';
import type { StoredFile } from './model.ts';

const LARGEST_BODY_BYTES = 25 * 1024 * 1024;

export interface Body {
  /** Parsed JSON (also `payload_json` of a form), the fields of a form, or undefined when there was no body. */
  readonly value: unknown;
  readonly files: readonly StoredFile[];
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY_BYTES) throw refusal(Code.RequestEntityTooLarge);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown) => {
      // Escaped it is JSON, but Discord takes no half of a character.
      if (typeof value === 'string' && !value.isWellFormed()) throw new SyntaxError('A character is cut');
      return value;
    });
  } catch {
    throw refusal(Code.RequestBodyContainsInvalidJSON);
  }
}

/** Reads JSON, a URL-encoded form, or a multipart form with files. Throws 50109 for invalid JSON. */
export async function readBody(request: IncomingMessage): Promise<Body> {
  const bytes = await readBytes(request);
  if (bytes.byteLength === 0) return { value: undefined, files: [] };
  const contentType = request.headers['content-type'] ?? 'application/json';
  if (contentType.startsWith('application/x-www-form-urlencoded')) {
    return { value: Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))), files: [] };
  }
  if (contentType.startsWith('multipart/form-data')) return readMultipart(bytes, contentType);
  return { value: parseJson(bytes.toString('utf8')), files: [] };
}

async function readMultipart(bytes: Buffer, contentType: string): Promise<Body> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw refusal(Code.RequestBodyContainsInvalidJSON);
    });
  const files: StoredFile[] = [];
  const plain: Record<string, string> = {};
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      plain[name] = value;
      continue;
    }
    files.push({
      filename: value.name,
      contentType: value.type || 'application/octet-stream',
      bytes: new Uint8Array(await value.arrayBuffer()),
    });
  }
  const json = plain.payload_json;
  return { value: json === undefined ? plain : parseJson(json), files };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(text)),
      ...headers,
    })
    .end(text);
}

export function sendHtml(
  response: ServerResponse,
  status: number,
  html: string,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  response
    .writeHead(status, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      ...headers,
    })
    .end(html);
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
