/** The SQLSTATE of a statement that timed out. A search that is made part by part ends with it too. */
const QUERY_CANCELED = '57014';

/** Whether a list took too long because too many rows had to be looked at: narrower filters help. */
export function isTooSlow(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
