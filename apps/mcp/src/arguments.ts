import { parseArgs } from 'node:util';
import type { LoginOptions } from './commands/login.ts';
import type { Offer } from './offer.ts';

/** The command and options in a command line. */
export type Asked =
  | { readonly command: 'serve'; readonly offer: Offer }
  | { readonly command: 'login'; readonly options: LoginOptions }
  /** Whether to revoke the token; null if that is not said. */
  | { readonly command: 'logout'; readonly revoke: boolean | null }
  | { readonly command: 'status' | 'doctor' | 'help' | 'version' }
  | { readonly command: 'wrong'; readonly problem: string };

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  'read-only': { type: 'boolean' },
  tools: { type: 'string' },
  url: { type: 'string' },
  'no-browser': { type: 'boolean' },
  headless: { type: 'boolean' },
  revoke: { type: 'boolean' },
  keep: { type: 'boolean' },
} as const;

/** The options of each command. */
const TAKES: Readonly<Record<string, readonly string[]>> = {
  serve: ['read-only', 'tools'],
  login: ['url', 'no-browser', 'headless'],
  status: [],
  logout: ['revoke', 'keep'],
  doctor: [],
};

/** Parses the command line after the program's name. */
export function readArguments(args: readonly string[]): Asked {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { command: 'wrong', problem: (error as Error).message };
  }
  const { values, positionals } = parsed;
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  const [command = 'serve', ...rest] = positionals;
  const takes = TAKES[command];
  if (takes === undefined || rest.length > 0) {
    return { command: 'wrong', problem: `There is no command "${positionals.join(' ')}".` };
  }
  const foreign = Object.keys(values).find((name) => !takes.includes(name));
  if (foreign !== undefined) return { command: 'wrong', problem: `${command} takes no --${foreign}.` };
  if (command === 'serve') return { command, offer: offerOf(values) };
  if (command === 'logout') {
    const { revoke = false, keep = false } = values;
    if (revoke && keep) return { command: 'wrong', problem: 'logout takes --revoke or --keep, not both.' };
    return { command, revoke: revoke ? true : keep ? false : null };
  }
  if (command !== 'login') return { command: command as 'status' | 'doctor' };
  const { url = null, headless = false, 'no-browser': noBrowser = false } = values;
  return { command, options: { url, headless, openBrowser: !noBrowser } };
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function offerOf(values: ReturnType<typeof parse>['values']): Offer {
  const names = values.tools?.split(',').map((name) => name.trim());
  return { readOnly: values['read-only'] ?? false, tools: names ?? null };
}
