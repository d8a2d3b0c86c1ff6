import { entryOf, isBotOperation, isLongOperation, OPERATION_NAMES } from '@bailiff/core';

/** Operations that take seconds, such as purges and commands on game servers. They have a lane of their own. */
export const SLOW_OPERATIONS: readonly string[] = OPERATION_NAMES.filter(
  (name) => isLongOperation(name) || entryOf(name).oneAtATime !== undefined,
);

/** Operations that change the settings of a channel or of the guild. Those of one place come one after the other. */
export const PLACE_OPERATIONS: readonly string[] = OPERATION_NAMES.filter(
  (name) => isBotOperation(name) && entryOf(name).capability === 'channels.write',
);

/** How many actions of one guild run at once in each lane, over all processes (decisions: Guilds apart). */
export const MOST_OF_GUILD = 2;
