import { type LogTopic, type OutputOf, parseInput } from '@bailiff/core';
import { getAction } from '@bailiff/engine/calls/actions';
import { describeCallIn, type Locale, translator } from '@bailiff/messages';
import type { Words } from './blocked-text.ts';
import { replyTo } from './chat/answers.ts';
import { manyEnded } from './chat/many.ts';
import { beginning, escapedLine, quoted } from './chat/text.ts';
import { type LogChannelDeps, postToLog } from './log-channel.ts';

/** Operations that open no case and are shown in the log channel: those that `settle_action` adds a job for. */
const LOGGED = [
  'messages.purge',
  'servers.rcon',
  'servers.sanction',
  'tickets.open',
  'tickets.close',
  'tickets.reopen',
  'channels.slowmode',
  'channels.lock',
  'channels.unlock',
  'channels.lockdown',
  'channels.reopen',
  'roles.give',
  'roles.end',
  'bans.many',
  'bans.undo',
  'mutes.many',
  'mutes.undo',
] as const;
type Logged = (typeof LOGGED)[number];

function topicOf(operation: Logged): LogTopic {
  const [area] = operation.split('.');
  return area === 'bans' || area === 'mutes' || area === 'tickets' ? area : 'actions';
}

const LONGEST_TEXT = 3_800;

/** Shows an action that opened no case in the guild's log channel: what was done, by whom and from where. */
export async function postAction(
  deps: LogChannelDeps,
  { guildId, actionId }: { guildId: string; actionId: string },
  signal: AbortSignal,
): Promise<void> {
  const action = await getAction(deps.db, guildId, actionId);
  const operation = LOGGED.find((name) => name === action?.operation);
  if (action === null || operation === undefined || action.result === null) return;
  const { actor, result, stoppedBy } = action;
  const embedIn = async (locale: Locale, words: Words) => {
    const t = translator(locale, 'notices');
    const source = t('log.source', { source: actor.source, name: quoted(words(actor.tokenName ?? ''), 100) });
    const input = wordedIn(action.input, words);
    const done = { guildId, operation, input, result };
    const text = beginning(await textOf(deps, done, locale, words), LONGEST_TEXT);
    const stop =
      stoppedBy === null ? [] : [translator(locale, 'chat')('long.stoppedBy', { by: `<@${stoppedBy}>` })];
    return {
      title: translator(locale, 'operations')(`${operation}.name`),
      description: [text, ...stop].join('\n'),
      fields: [
        { name: t('log.by'), value: `<@${actor.userId}>`, inline: true },
        { name: t('log.from'), value: source, inline: true },
      ],
      footer: { text: actionId },
      timestamp: action.createdAt.toISOString(),
    };
  };
  const post = { guildId, topic: topicOf(operation), about: actionId, page: 'audit', embedIn };
  await postToLog(deps, post, signal);
}

/** What people write in the inputs of these operations, as far as it is shown. */
const WRITTEN = ['reason', 'subject', 'command'];

function wordedIn(input: unknown, words: Words): unknown {
  return Object.fromEntries(
    Object.entries(Object(input)).map(([name, value]) => [
      name,
      WRITTEN.includes(name) && typeof value === 'string' ? words(value) : value,
    ]),
  );
}

/**
 * What people wrote as the sentence about an action shows it, with room for what stands around it. It cannot end its
 * quotation.
 */
const asShown = (text: string) => escapedLine(text.replace(/["\\]/g, '\\$&'), 3_000);

interface Done {
  readonly guildId: string;
  readonly operation: Logged;
  readonly input: unknown;
  readonly result: object;
}

async function textOf(
  { db }: LogChannelDeps,
  { guildId, operation, input, result }: Done,
  locale: Locale,
  words: Words,
): Promise<string> {
  if (operation === 'servers.rcon' || operation === 'servers.sanction') {
    const parsed = parseInput(operation, input);
    if (!parsed.success) return '';
    const serverId = 'serverId' in parsed.data ? parsed.data.serverId : parsed.data.server_id;
    const server = await db.prisma.gameServer.findUnique({ where: { id: serverId }, select: { name: true } });
    // What the game server answered is for who asked.
    const names = server === null ? {} : { [serverId]: words(server.name) };
    return describeCallIn(locale, operation, guildId, parsed.data, names, asShown);
  }
  if (isOfMany(operation)) return manyText(guildId, operation, input, result, locale);
  const parsed = parseInput(operation, input);
  if (!parsed.success) return '';
  // The record of an action holds the answer of its operation, which the database cannot tell the compiler.
  const body = result as OutputOf<typeof operation>;
  const { content = '' } = replyTo(operation, parsed.data, body, { guildId, locale, names: {} });
  const why =
    'reason' in parsed.data ? parsed.data.reason : 'subject' in parsed.data ? parsed.data.subject : undefined;
  return [content, why === undefined ? '' : quoted(why, 600)].filter(Boolean).join('\n');
}

type OfMany = 'bans.many' | 'bans.undo' | 'mutes.many' | 'mutes.undo';

function isOfMany(operation: Logged): operation is OfMany {
  return operation.endsWith('.many') || operation.endsWith('.undo');
}

function manyText(
  guildId: string,
  operation: OfMany,
  input: unknown,
  result: object,
  locale: Locale,
): string {
  const parsed = parseInput(operation, input);
  if (!parsed.success) return '';
  const sentence = describeCallIn(locale, operation, guildId, parsed.data, {}, asShown);
  // As above.
  return `${sentence}. ${manyEnded(locale, (result as OutputOf<OfMany>).many)}`;
}
