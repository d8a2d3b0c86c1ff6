import { EVENT_NAMES, OPERATION_NAMES } from '@bailiff/core';

/** Names of everything that audit rows tell of. */
export const TOLD_OPERATIONS: readonly string[] = [...OPERATION_NAMES, ...EVENT_NAMES];
