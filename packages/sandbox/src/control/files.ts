import type { StoredFile } from '#src/model.ts';
import { controlFields } from './resolve.ts';

/** A file that a person attaches; its content in base64. */
export interface FileRequest {
  filename: string;
  content_type?: string;
  base64: string;
}

export function readFile(given: unknown): StoredFile {
  const file = controlFields(given, ['filename', 'content_type', 'base64']);
  return {
    filename: file.requiredString('filename', { min: 1, max: 255 }),
    contentType: file.string('content_type') ?? 'application/octet-stream',
    bytes: new Uint8Array(Buffer.from(file.requiredString('base64'), 'base64')),
  };
}
