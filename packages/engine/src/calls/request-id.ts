import { randomUUID } from 'node:crypto';

/** An id for a request, by which its audit rows and log lines are found: `req_` and 32 hexadecimal digits. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
