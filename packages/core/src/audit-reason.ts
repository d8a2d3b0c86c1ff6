import { ID_PREFIXES } from './ids.ts';
import type { ActorSource } from './operations/shapes.ts';

/** The longest X-Audit-Log-Reason that Discord accepts, in characters. */
export const MOST_REASON_CHARACTERS = 512;

const MOST_NAME_CHARACTERS = 80;

const ACTION_MARK = new RegExp(`^\\[(${ID_PREFIXES.action}_[0-9a-f]{32})\\] `);

export interface ReasonParts {
  readonly reason: string | null;
  /** The name of the token or person who acted. */
  readonly actor: { readonly source: ActorSource; readonly name: string };
  readonly actionId: string;
}

/**
 * The reason for Discord's audit log: `[act_…] token "deploy": reason`, at most 512 characters on one line. The
 * action's id comes first, so that no reason can forge it and truncation never removes it. The HTTP client encodes it
 * for the header.
 */
export function auditLogReason({ reason, actor, actionId }: ReasonParts): string {
  const name = cut(oneLine(actor.name), MOST_NAME_CHARACTERS);
  const head = `[${actionId}] ${actor.source} "${name}"`;
  return cut(reason === null ? head : `${head}: ${oneLine(reason)}`, MOST_REASON_CHARACTERS);
}

/**
 * The id of the action that an audit-log reason names, or null. Check who wrote the entry: anyone can imitate the
 * format.
 */
export function actionIdInReason(text: string): string | null {
  return ACTION_MARK.exec(text)?.[1] ?? null;
}

/** The text with control characters as spaces, and lone surrogates, which a header cannot hold, as U+FFFD. */
function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

/** The text, truncated to `most` UTF-16 units with an ellipsis; no surrogate pair is split. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
