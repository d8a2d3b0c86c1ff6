import { randomUUID } from 'node:crypto';

/** The id under which a call is found in logs and in the audit log. */
export function newRequestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}
