import { randomUUID } from 'node:crypto';

/** A new request id, which its audit rows and log lines carry: `req_` and 32 hexadecimal digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
