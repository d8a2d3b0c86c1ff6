import type { IssueKey, WordedIssue } from './issue-words.ts';

/** The longest command that every game server accepts in one RCON packet (decisions: Operations), in bytes of UTF-8. */
export const RCON_COMMAND_BYTES = 1446;

/** Patterns of the commands that a game server accepts or refuses (decisions: Operations). */
export interface CommandPolicy {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Whether a policy allows a command, and the pattern that decided; null when no pattern did. */
export interface CommandVerdict {
  readonly allowed: boolean;
  readonly pattern: string | null;
}

/**
 * Whether a policy allows a command. The first deny pattern that matches the whole command denies it. If there are
 * allow patterns, one of them must match. `*` matches any text; case and repeated spaces are ignored.
 *
 * Source servers read `say hi; quit` as two commands, so each of them is judged. An allow pattern matches the whole line
 * only if it has as many commands itself. They also read `"quit"` as `quit`, so what is denied is denied in quotation
 * marks too.
 */
export function judgeCommand({ allow, deny }: CommandPolicy, command: string): CommandVerdict {
  const whole = plainOf(command);
  const commands = commandsOf(whole);
  const unquoted = plainOf(whole.replaceAll('"', ' '));
  const texts = [...new Set([whole, ...commands, unquoted, ...commandsOf(unquoted)])];
  const denied = deny.find((pattern) => texts.some(matcherOf(pattern)));
  if (denied !== undefined) return { allowed: false, pattern: denied };
  if (allow.length === 0) return { allowed: true, pattern: null };
  const patterns = allow.map((pattern) => ({ pattern, matches: matcherOf(pattern) }));
  const ofWhole = patterns.find(
    ({ pattern, matches }) => matches(whole) && commandsOf(pattern).length === commands.length,
  );
  if (ofWhole !== undefined) return { allowed: true, pattern: ofWhole.pattern };
  const ofEach = [...new Set(commands)].map((text) => patterns.find(({ matches }) => matches(text))?.pattern);
  const isAllowed = commands.length > 0 && ofEach.every((pattern) => pattern !== undefined);
  return { allowed: isAllowed, pattern: isAllowed ? (ofEach[0] ?? null) : null };
}

/** The commands of a line. */
function commandsOf(line: string): string[] {
  return line
    .split(';')
    .map(plainOf)
    .filter((command) => command !== '');
}

/** Whether the policy allows the command. */
export function isCommandAllowed(policy: CommandPolicy, command: string): boolean {
  return judgeCommand(policy, command).allowed;
}

/** Bounds of one list of patterns. */
export const MOST_PATTERNS = 100;
export const MOST_PATTERN_CHARACTERS = 200;

export type ParsedPatterns =
  | { readonly ok: true; readonly patterns: readonly string[] }
  | { readonly ok: false; readonly issues: readonly (WordedIssue & { readonly index: number })[] };

/** The trimmed patterns of one list that an owner typed, or what is wrong with which line, counted from 0. */
export function parsePatterns(lines: readonly string[]): ParsedPatterns {
  const patterns = lines.map((line) => line.trim());
  const plain = patterns.map(plainOf);
  const issues = patterns.flatMap((pattern, index) => {
    const flaw = flawOf(pattern, index, plain);
    return flaw === null ? [] : [{ index, ...flaw }];
  });
  return issues.length === 0 ? { ok: true, patterns } : { ok: false, issues };
}

function flawOf(pattern: string, index: number, plain: readonly string[]): WordedIssue | null {
  const line = String(index + 1);
  const flaw = (key: IssueKey, message: string, values?: Record<string, string>): WordedIssue => ({
    message: `line ${line} ${message}`,
    say: { key, values: { line, ...values } },
  });
  if (index >= MOST_PATTERNS) {
    const most = String(MOST_PATTERNS);
    return flaw('patternMany', `is one too many: a list has at most ${most} patterns`, { most });
  }
  if (plainOf(pattern) === '') {
    return flaw('patternEmpty', 'has no command in it; "*" stands for every command');
  }
  if (pattern.length > MOST_PATTERN_CHARACTERS) {
    const most = String(MOST_PATTERN_CHARACTERS);
    return flaw('patternLong', `has more than ${most} characters`, { most });
  }
  if (/\p{Cc}/u.test(pattern) || !pattern.isWellFormed()) {
    return flaw('patternHidden', 'has a character that no command can have');
  }
  const first = plain.indexOf(plainOf(pattern));
  if (first === index) return null;
  const same = String(first + 1);
  return flaw('patternTwice', `says the same as line ${same}`, { same });
}

/** The text as game servers read it: a slash or spaces in front make no difference. */
function plainOf(text: string): string {
  return text
    .trim()
    .replace(/^\/+\s*/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/**
 * Tells whether a text matches the pattern. A line can have hundreds of commands, so the pattern is prepared once. There
 * is no regular expression, because an owner's pattern must not be able to run without end.
 */
function matcherOf(pattern: string): (text: string) => boolean {
  const pieces = plainOf(pattern).split('*');
  const shortest = pieces.join('').length;
  const [start = '', ...rest] = pieces;
  const end = rest.pop();
  if (end === undefined) return (text) => text === start;
  return (text) => {
    if (text.length < shortest || !text.startsWith(start) || !text.endsWith(end)) return false;
    let at = start.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found === -1 || found + piece.length > text.length - end.length) return false;
      at = found + piece.length;
    }
    return true;
  };
}
