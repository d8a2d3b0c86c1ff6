import type { InputOf, OperationName, OutputOf } from '@bailiff/core';
import type { PersonRead } from '@bailiff/engine/calls/readers';
import { describeCallIn, type Locale, type Translator, translator } from '@bailiff/messages';
import type { InteractionEditReplyOptions } from 'discord.js';
import { tellNote, tellNotes } from './notes.ts';
import { defused, moment, quoted } from './text.ts';
import { tellTicket } from './tickets.ts';

/** What a person is told. */
export type Reply = Pick<InteractionEditReplyOptions, 'content' | 'files' | 'components'>;

/** What is told, and what is added to it once it is known. */
export type Answer = Reply & { readonly more?: () => Promise<string | null> };

/** The longest answer; Discord takes 2,000 characters. */
export const LONGEST_ANSWER = 1_900;
const LONGEST_REASON = 80;
const LONGEST_REASON_ALONE = 600;

/** Where something was done, to whom it is told in what language, and the names of what is spoken of, by id. */
export interface Spoken {
  readonly guildId: string;
  readonly locale: Locale;
  readonly names: Readonly<Record<string, string>>;
}

/** What was done, with its case number where it has one. */
export function tellDone(operation: OperationName, input: object, body: object, spoken: Spoken): Reply {
  const t = translator(spoken.locale, 'chat');
  const operations = translator(spoken.locale, 'operations');
  if (operation === 'servers.rcon') return tellOutput(input, body as OutputOf<'servers.rcon'>, spoken);
  if (operation === 'messages.purge')
    return { content: tellPurge(operations, input, body as OutputOf<'messages.purge'>) };
  if (operation === 'notes.add' || operation === 'notes.remove') {
    return { content: tellNote(spoken.locale, operation, body as OutputOf<'notes.add'>) };
  }
  const told = tellTicket(operations, operation, body);
  if (told !== null) return { content: told };
  const number = caseNumberIn(body);
  const what = sentenceOf(operation, input, spoken);
  return { content: number === null ? t('done', { what }) : t('doneInCase', { what, number }) };
}

function sentenceOf(operation: OperationName, input: object, { guildId, locale, names }: Spoken): string {
  return describeCallIn(locale, operation, guildId, input as never, names);
}

function caseNumberIn(body: object): string | null {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value)
      return String(value.case_number);
  }
  return null;
}

function tellOutput(input: object, { run }: OutputOf<'servers.rcon'>, spoken: Spoken): Reply {
  const t = translator(spoken.locale, 'chat');
  const what = `${sentenceOf('servers.rcon', input, spoken).slice(0, 400)}.`;
  const done = [t('done', { what }), ...(run.truncated ? [t('rcon.cut')] : [])].join(' ');
  if (run.output.trim() === '') return { content: `${done} ${t('rcon.silent')}` };
  const block = `${done}\n\`\`\`\n${defused(run.output)}\n\`\`\``;
  if (block.length <= LONGEST_ANSWER) return { content: block };
  const attachment = Buffer.from(run.output, 'utf8');
  return { content: `${done} ${t('rcon.inFile')}`, files: [{ attachment, name: 'output.txt' }] };
}

function tellPurge(
  t: Translator<'operations'>,
  input: object,
  { purge: { deleted, requested } }: OutputOf<'messages.purge'>,
): string {
  const { channel_id } = input as InputOf<'messages.purge'>;
  return t('messages.purge.done', {
    count: deleted,
    fewer: deleted < requested ? 'yes' : 'no',
    asked: String(requested),
    channel: `<#${channel_id}>`,
    kept: deleted === 0 ? 'no' : 'yes',
  });
}

type Case = OutputOf<'cases.get'>;
type Chat = Translator<'chat'>;

/** How each read that chat offers is told. */
const TELL_READ: {
  readonly [N in PersonRead]?: (body: OutputOf<N>, input: InputOf<N>, t: Chat) => string;
} = {
  'strikes.list': ({ data, next_cursor }, _, t) => {
    if (data.length === 0) return t('strikes.none');
    const lines = data.map((strike) =>
      caseLine(t, { ...strike, kind: 'strike', expires_at: null, ended_at: strike.removed_at }),
    );
    return fitting(t, [t('strikes.head'), ...lines], next_cursor === null ? [] : [t('strikes.more')]);
  },
  'cases.list': ({ data, total }, { user_id }, t) => {
    const who = `<@${user_id}>`;
    if (total === 0) return t('cases.none', { who });
    const more = total > data.length ? [t('cases.more', { count: total - data.length })] : [];
    const lines = data.map((shown) => caseLine(t, shown));
    return fitting(t, [t('cases.head', { count: total, who }), ...lines], more);
  },
  'cases.get': (shown, _, t) => {
    const lines = [
      t('cases.title', {
        number: String(shown.case_number),
        kind: kindOf(t, shown),
        who: `<@${shown.user_id}>`,
        id: shown.user_id,
      }),
      t('cases.by', { by: `<@${shown.issued_by}>`, date: moment(shown.issued_at, 'f') }),
      shown.reason === null
        ? t('cases.noReason')
        : t('cases.reason', { reason: quoted(shown.reason, LONGEST_REASON_ALONE) }),
      shown.expires_at === null ? '' : t('cases.until', { date: moment(shown.expires_at, 'f') }),
      stateOf(t, shown),
    ];
    return lines.filter(Boolean).join('\n');
  },
  'members.self': ({ is_owner, capabilities, grants }, _, t) => {
    if (is_owner) return t('self.owner');
    if (capabilities.length === 0) return t('self.nothing');
    const lines = grants.map((grant) => `<@&${grant.role_id}>: ${grant.capabilities.join(', ')}`);
    return fitting(t, [t('self.head'), ...lines], []);
  },
};

/** What was read, in words. */
export function tellRead<N extends PersonRead>(
  operation: N,
  body: OutputOf<N>,
  input: InputOf<N>,
  locale: Locale,
): Reply {
  if (operation === 'notes.list') {
    return { content: tellNotes(locale, body as OutputOf<'notes.list'>, input as InputOf<'notes.list'>) };
  }
  const tell = TELL_READ[operation];
  if (tell === undefined) throw new Error(`Chat has no words for ${operation}`);
  return { content: tell(body, input, translator(locale, 'chat')) };
}

type Line = Pick<
  Case,
  'case_number' | 'kind' | 'severity' | 'user_id' | 'reason' | 'issued_by' | 'issued_at' | 'expires_at'
> &
  Pick<Case, 'active' | 'ended_at'>;

function caseLine(t: Chat, shown: Line): string {
  const line = shown.active ? 'cases.line' : hasExpired(shown) ? 'cases.lineExpired' : 'cases.lineLifted';
  return t(line, {
    number: String(shown.case_number),
    kind: kindOf(t, shown),
    who: `<@${shown.user_id}>`,
    reason: shown.reason === null ? '' : ` ${quoted(shown.reason, LONGEST_REASON)}`,
    by: `<@${shown.issued_by}>`,
    date: moment(shown.issued_at, 'd'),
  });
}

/** A ban that has run out is lifted by the bot; to people it has run out. */
function hasExpired({ ended_at, expires_at }: Pick<Case, 'ended_at' | 'expires_at'>): boolean {
  return ended_at === null || (expires_at !== null && ended_at >= expires_at);
}

export function kindOf(t: Chat, { kind, severity }: Pick<Case, 'kind' | 'severity'>): string {
  // The types of the library do not read a message that only chooses.
  return t('cases.kind', { kind, severity: severity ?? 'none' } as never);
}

function stateOf(t: Chat, shown: Case): string {
  const { active, ended_at, ended_by, end_reason } = shown;
  if (active) return t('cases.inForce');
  if (ended_at === null || hasExpired(shown)) return t('cases.expired');
  return t('cases.lifted', {
    by: ended_by === null ? t('cases.somebody') : `<@${ended_by}>`,
    date: moment(ended_at, 'f'),
    reasoned: end_reason === null ? 'no' : 'yes',
    reason: end_reason === null ? '' : quoted(end_reason, LONGEST_REASON),
  });
}

/** Lines as long as they fit into one answer, and what is said behind them; those left out are counted. */
function fitting(t: Chat, lines: readonly string[], tail: readonly string[]): string {
  const room = LONGEST_ANSWER - tail.join('\n').length - 40;
  let used = 0;
  const kept = lines.filter((line) => {
    used += line.length + 1;
    return used <= room;
  });
  const left = lines.length - kept.length;
  return [...kept, ...(left === 0 ? [] : [t('andMore', { count: String(left) })]), ...tail].join('\n');
}
