import { isIP } from 'node:net';
import { GAMES, MOST_PATTERNS, parsePatterns, text, wordedParams } from '@bailiff/core';
import { z } from 'zod';
import { Name } from './input.ts';

const MOST_HOST_CHARACTERS = 253;
/** Lengths that fit one packet of every game server, whatever the characters. */
const MOST_PASSWORD_CHARACTERS = 256;
const MOST_COMMAND_CHARACTERS = 1446;

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

const HOST = {
  message: 'must be a host name or an IP address, such as play.example.com, without a port',
  say: { key: 'host' },
} as const;

/** A host name or an address. The bot checks on each connection whether it may connect to the resolved address. */
const Host = z.string().trim().toLowerCase().refine(isHost, wordedParams(HOST));

/** A host name (RFC 1123 §2.1). Software disagrees on whether one that ends in a number is an address or a name. */
function isHost(host: string): boolean {
  if (isIP(host) !== 0) return !host.includes('%');
  const labels = host.split('.');
  return (
    host.length <= MOST_HOST_CHARACTERS &&
    labels.every((label) => LABEL.test(label)) &&
    !/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
  );
}

const Port = z.int().min(1).max(65_535);

const Password = text(MOST_PASSWORD_CHARACTERS);

/** The first of too many lines is read too, so that the refusal names it; those after it are not. */
const Lines = z.preprocess(
  (lines) => (Array.isArray(lines) ? lines.slice(0, MOST_PATTERNS + 1) : lines),
  z.array(z.string()),
);

const Patterns = Lines.transform((lines, context) => {
  const parsed = parsePatterns(lines);
  if (parsed.ok) return [...parsed.patterns];
  for (const { index, ...issue } of parsed.issues) {
    context.addIssue({ code: 'custom', path: [index], ...wordedParams(issue) });
  }
  return z.NEVER;
});

/** The engine says what is wrong with a template, because that depends on the server's game and policy too. */
const Template = z.string().trim().max(2_000);
const Templates = z.strictObject({ kick: Template, ban: Template, unban: Template, announce: Template });

export const CreateServer = z.strictObject({
  name: Name,
  host: Host,
  port: Port,
  password: Password,
  allow_patterns: Patterns.default([]),
  deny_patterns: Patterns.default([]),
  game: z.enum(GAMES).optional(),
  templates: Templates.optional(),
});

export const UpdateServer = z
  .strictObject({
    name: Name.optional(),
    host: Host.optional(),
    port: Port.optional(),
    password: Password.optional(),
    allow_patterns: Patterns.optional(),
    deny_patterns: Patterns.optional(),
    game: z.enum(GAMES).optional(),
    templates: Templates.optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must change something');

/** A command to judge by the stored policy before it is run. */
export const JudgeStored = z.strictObject({ command: text(MOST_COMMAND_CHARACTERS) });

export const JudgeCommand = z.strictObject({
  command: text(MOST_COMMAND_CHARACTERS),
  allow_patterns: Patterns,
  deny_patterns: Patterns,
});
