import { entryOf, isLongOperation, OPERATION_NAMES } from '@bailiff/core';

/** Operations that take seconds, such as purges and commands on game servers. They have a lane of their own. */
export const SLOW_OPERATIONS: readonly string[] = OPERATION_NAMES.filter(
  (name) => isLongOperation(name) || entryOf(name).oneAtATime !== undefined,
);

/** How many actions of one guild run at once in each lane, over all processes (decisions: Guilds apart). */
export const MOST_OF_GUILD = 2;
