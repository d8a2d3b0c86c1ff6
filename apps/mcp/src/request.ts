import type { Inputs } from '@bailiff/client';
import { expectedSentinel, type InputOf, isDestructive, type RestOperation } from '@bailiff/core';

/** A call whose input has been validated. */
export interface Call {
  readonly operation: RestOperation;
  /** Empty if the call is about the token itself. */
  readonly guildId: string;
  readonly input: InputOf<RestOperation>;
}

/**
 * The input to send for a call. The sentinel is built here from the validated input only (spec §1), so that text from a
 * model is never sent as `_confirmation`.
 */
export function inputOf({ operation, guildId, input }: Call): Inputs[RestOperation] {
  const confirmation = isDestructive(operation, input)
    ? { _confirmation: expectedSentinel(operation, guildId, input).concrete }
    : {};
  // Which operation it is, is known only at run time. The schema that accepted the input is the one from which the
  // client's types are generated.
  return { ...input, ...confirmation } as Inputs[RestOperation];
}
