import { EVENT_NAMES, OPERATION_NAMES } from '@bailiff/core';

/** The names of all operations and events that audit rows can have. */
export const AUDIT_OPERATIONS: readonly string[] = [...OPERATION_NAMES, ...EVENT_NAMES];
