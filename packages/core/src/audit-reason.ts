import { ID_PREFIXES } from './ids.ts';
import type { ActorSource } from './operations/shapes.ts';

/** The longest X-Audit-Log-Reason Discord takes, in characters. */
export const MOST_REASON_CHARACTERS = 512;

const MOST_NAME_CHARACTERS = 80;

const ACTION_MARK = new RegExp(`^\\[(${ID_PREFIXES.action}_[0-9a-f]{32})\\] `);

export interface ReasonParts {
  readonly reason: string | null;
  /** Who acted: a token by its name, a person by theirs. */
  readonly actor: { readonly source: ActorSource; readonly name: string };
  readonly actionId: string;
}

/**
 * The reason Discord's audit log shows: `[act_…] token "deploy": reason`, at most 512 characters on one line. The
 * action's id stands first, where no reason can forge it and no cut reaches it. Header encoding is the client's part.
 */
export function auditLogReason({ reason, actor, actionId }: ReasonParts): string {
  const name = cut(oneLine(actor.name), MOST_NAME_CHARACTERS);
  const head = `[${actionId}] ${actor.source} "${name}"`;
  return cut(reason === null ? head : `${head}: ${oneLine(reason)}`, MOST_REASON_CHARACTERS);
}

/** The id of the action an audit-log reason of ours names, or null. Check who wrote it: anyone can imitate the form. */
export function actionIdInReason(text: string): string | null {
  return ACTION_MARK.exec(text)?.[1] ?? null;
}

/** Control characters as spaces, and lone surrogates, which cannot be encoded in a header, as U+FFFD. */
function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}

/** The first characters (UTF-16 units) of a text, no pair split, the cut shown. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
