/** The most seconds that `Prefer: wait` can ask for, for a long action and for a decision. */
const LONGEST_WAIT_SECONDS = 8;
const LONGEST_DECISION_SECONDS = 60;

/**
 * How long the caller wants to wait for a long action, in milliseconds (RFC 7240 `wait`). Undefined without a
 * preference that is understood: a preference is never refused.
 */
export function preferredWaitMs(prefer: string | null): number | undefined {
  const seconds = preferredSeconds(prefer);
  return seconds === undefined ? undefined : Math.min(seconds, LONGEST_WAIT_SECONDS) * 1_000;
}

/** How many seconds the caller wants to wait for a decision: 1 to 60. Undefined for every other preference. */
export function preferredDecisionSeconds(prefer: string | null): number | undefined {
  const seconds = preferredSeconds(prefer);
  return seconds !== undefined && seconds >= 1 && seconds <= LONGEST_DECISION_SECONDS ? seconds : undefined;
}

/** The value of `wait`, if it is a whole number. Only the first preference of a name counts (RFC 7240 §2). */
function preferredSeconds(prefer: string | null): number | undefined {
  // A value may be quoted, and a quoted value may contain what looks like another preference. A quotation that is never
  // closed reaches to the end: looking for its end again from each mark in it would take as long as the header squared.
  const unquoted = (prefer ?? '').replaceAll(/"((?:[^"\\]|\\.)*)("?)/gs, (_, value: string, end: string) =>
    end === '"' && /^\d+$/.test(value) ? value : '',
  );
  for (const preference of unquoted.split(',')) {
    const [name = '', value = ''] = preference.replace(/;.*/s, '').split('=');
    if (name.trim().toLowerCase() !== 'wait') continue;
    return /^\d{1,4}$/.test(value.trim()) ? Number(value) : undefined;
  }
  return undefined;
}
