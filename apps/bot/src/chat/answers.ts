import type { ChatOperation, DestructiveOperation, InputOf, OutputOf } from '@bailiff/core';
import type { CaseMarks } from '@bailiff/engine/cases/case-list';
import { describeCallIn, type Locale, translator } from '@bailiff/messages';
import type { InteractionEditReplyOptions } from 'discord.js';
import { caseLine, casesReply, ownCasesReply } from './case-pages.ts';
import { searchReply } from './case-search.ts';
import { fitting, LONGEST_ANSWER } from './fitting.ts';
import { identitiesText, identityText } from './identities.ts';
import { locksText, rolesText, slowmodesText } from './in-force.ts';
import { confirmedText, linkText } from './linking.ts';
import { lockdownText, lockText, roleText, slowmodeText } from './locks.ts';
import { previewReply, undoReply } from './many.ts';
import { moderatorsText } from './moderators.ts';
import { notesText, noteText, ticketNotesText } from './notes.ts';
import { onlineText } from './online-players.ts';
import { defused, escapedLine, moment, quoted } from './text.ts';
import { ticketStatisticsText } from './ticket-statistics.ts';
import { caseReply, LONGEST_REASON_ALONE } from './whole-case.ts';

/** The content of an answer. */
export type Reply = Pick<InteractionEditReplyOptions, 'content' | 'files' | 'components'>;

/** An answer, an addition to it once that is known, and what everybody in the channel is told. */
export type Answer = Reply & {
  readonly more?: () => Promise<string | null>;
  readonly toEverybody?: () => Promise<string | null>;
};

/** The guild of an answer, its reader's language, and the names of the things it mentions, by id. */
export interface Spoken {
  readonly guildId: string;
  readonly locale: Locale;
  readonly names: Readonly<Record<string, string>>;
  /** What the lines of a list of cases say besides, by the ids of the cases. Absent for all else. */
  readonly marks?: ReadonlyMap<string, CaseMarks>;
  /** The code that a member gets who links an identity. Absent for all else. */
  readonly linkCode?: string | undefined;
}

/** Writes the answer for a read or an action. */
type ReplyOf<N extends ChatOperation> = (body: OutputOf<N>, input: InputOf<N>, spoken: Spoken) => Reply;

/** Operations that can be destructive have a sentence, which tells what was done where nothing here does. */
type Sentenced = ChatOperation & DestructiveOperation;

/** The answer of each operation in chat. */
const ANSWERS: { readonly [N in Exclude<ChatOperation, Sentenced>]: ReplyOf<N> } & {
  readonly [N in Sentenced]?: ReplyOf<N>;
} = {
  'strikes.list': strikesReply,
  'cases.list': casesReply,
  'cases.search': searchReply,
  'cases.own': ownCasesReply,
  'cases.get': caseReply,
  'cases.edit': editReply,
  'cases.attach': ({ case: { case_number } }, _, { locale }) => ({
    content: translator(locale, 'operations')('cases.attach.done', { number: String(case_number) }),
  }),
  'cases.link': (body, _, { locale }) => linkReply('cases.link', body, locale),
  'cases.unlink': (body, _, { locale }) => linkReply('cases.unlink', body, locale),
  'bans.change': ({ ban }, _, spoken) => lengthReply('bans.change', ban, spoken),
  'mutes.change': ({ mute }, _, spoken) => lengthReply('mutes.change', mute, spoken),
  'members.self': selfReply,
  'notes.list': (body, input, { locale }) => ({ content: notesText(locale, body, input) }),
  'notes.add': ({ note }, _, { locale }) => ({ content: noteText(locale, 'notes.add', note) }),
  'notes.remove': ({ note }, _, { locale }) => ({ content: noteText(locale, 'notes.remove', note) }),
  'identities.list': (body, input, { locale }) => ({ content: identitiesText(locale, body, input) }),
  'identities.add': ({ identity }, _, { locale }) => ({
    content: identityText(locale, 'identities.add', identity),
  }),
  'identities.remove': ({ identity }, _, { locale }) => ({
    content: identityText(locale, 'identities.remove', identity),
  }),
  'identities.link': ({ link }, _, { locale, linkCode }) => ({ content: linkText(locale, link, linkCode) }),
  'identities.confirm': ({ identity }, _, { locale }) => ({ content: confirmedText(locale, identity) }),
  'actions.stop': (_, __, { locale }) => ({ content: translator(locale, 'operations')('actions.stop.done') }),
  'tickets.open': ({ ticket }, _, { locale }) => ({
    content: translator(locale, 'operations')('tickets.open.done', {
      number: String(ticket.number),
      channel: `<#${ticket.channel_id}>`,
    }),
  }),
  'reports.add': ({ report }, _, { locale }) => ({
    content: translator(locale, 'operations')('reports.add.done', {
      number: String(report.number),
      user: `<@${report.user_id}>`,
    }),
  }),
  'tickets.claim': ticketReply('tickets.claim'),
  'tickets.assign': ({ ticket }, _, { locale }) => ({
    content: translator(locale, 'operations')('tickets.assign.done', {
      number: String(ticket.number),
      who: `<@${ticket.claimed_by}>`,
    }),
  }),
  'tickets.unclaim': ticketReply('tickets.unclaim'),
  'tickets.close': ticketReply('tickets.close'),
  'tickets.ask': ({ ticket }, _, { locale }) => ({
    content: translator(locale, 'operations')('tickets.ask.done', {
      number: String(ticket.number),
      who: `<@${ticket.opened_by}>`,
      date: ticket.closes_at === null ? '' : moment(ticket.closes_at, 'R'),
    }),
  }),
  'tickets.notes': (body, _, { locale }) => ({ content: ticketNotesText(locale, body) }),
  'tickets.stats': (body, _, { locale }) => ({ content: ticketStatisticsText(locale, body) }),
  'tickets.note': (_, __, { locale }) => ({
    content: translator(locale, 'operations')('tickets.note.done'),
  }),
  'tickets.reopen': ({ ticket }, _, { locale }) => ({
    content: translator(locale, 'operations')('tickets.reopen.done', {
      number: String(ticket.number),
      channel: `<#${ticket.channel_id}>`,
    }),
  }),
  'tickets.panel': ({ panel }, _, { locale }) => ({
    content: translator(locale, 'operations')('tickets.panel.done', { channel: `<#${panel.channel_id}>` }),
  }),
  'channels.slowmode': ({ slowmode }, _, { locale }) => ({
    content: slowmodeText(locale, slowmode),
  }),
  'channels.lock': ({ lock }, _, { locale }) => ({ content: lockText(locale, lock) }),
  'channels.unlock': ({ unlocked }, _, { locale }) => ({
    content: translator(locale, 'operations')('channels.unlock.done', {
      channel: `<#${unlocked.channel_id}>`,
    }),
  }),
  'channels.lockdown': (body, _, { locale }) => ({ content: lockdownText(locale, body) }),
  'channels.reopen': (_, __, { locale }) => ({
    content: translator(locale, 'operations')('channels.reopen.done'),
  }),
  'roles.give': ({ role }, _, { locale }) => ({ content: roleText(locale, role) }),
  'roles.end': ({ ended }, _, { locale }) => ({
    content: translator(locale, 'operations')('roles.end.done', {
      user: `<@${ended.user_id}>`,
      role: `<@&${ended.role_id}>`,
      left: ended.left ? 'yes' : 'no',
    }),
  }),
  'channels.locks': (body, _, { locale }) => ({ content: locksText(locale, body) }),
  'channels.slowmodes': (body, _, { locale }) => ({ content: slowmodesText(locale, body) }),
  'roles.list': (body, input, { locale }) => ({ content: rolesText(locale, body, input) }),
  'audit.moderators': (body, input, { locale }) => ({ content: moderatorsText(locale, body, input) }),
  'bans.preview': (body, _, { locale }) => previewReply(locale, 'bans.preview', body),
  'bans.undo': (body, _, { locale }) => undoReply(locale, body),
  'mutes.preview': (body, _, { locale }) => previewReply(locale, 'mutes.preview', body),
  'mutes.undo': (body, _, { locale }) => undoReply(locale, body),
  'servers.players': (body, _, { locale }) => ({ content: onlineText(locale, body) }),
  'servers.rcon': outputReply,
  'messages.purge': purgeReply,
};

/** The text of an answer: `body` is the result of this call. */
export function replyTo<N extends ChatOperation>(
  operation: N,
  input: InputOf<N>,
  body: OutputOf<N>,
  spoken: Spoken,
): Reply {
  // The table has the answer of `operation` under its name, which the compiler cannot follow for a name it does not know.
  const own = ANSWERS[operation] as ReplyOf<N> | undefined;
  return own === undefined ? sentenceReply(operation, input, body, spoken) : own(body, input, spoken);
}

/** The sentence that says what was done, with its case number if it has one. */
function sentenceReply<N extends ChatOperation>(
  operation: N,
  input: InputOf<N>,
  body: object,
  spoken: Spoken,
): Reply {
  const t = translator(spoken.locale, 'chat');
  const number = caseNumberIn(body);
  const what = sentenceOf(operation, input, spoken);
  return { content: number === null ? t('done', { what }) : t('doneInCase', { what, number }) };
}

function ticketReply(operation: 'tickets.claim' | 'tickets.unclaim' | 'tickets.close') {
  return (
    { ticket }: OutputOf<'tickets.claim'>,
    _: InputOf<typeof operation>,
    { locale }: Spoken,
  ): Reply => ({
    content: translator(locale, 'operations')(`${operation}.done`, { number: String(ticket.number) }),
  });
}

function sentenceOf<N extends ChatOperation>(
  operation: N,
  input: InputOf<N>,
  { guildId, locale, names }: Spoken,
): string {
  return describeCallIn(locale, operation, guildId, input, names, (text) =>
    escapedLine(text, LONGEST_REASON_ALONE),
  );
}

function caseNumberIn(body: object): string | null {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value)
      return String(value.case_number);
  }
  return null;
}

function outputReply(
  { run }: OutputOf<'servers.rcon'>,
  input: InputOf<'servers.rcon'>,
  spoken: Spoken,
): Reply {
  const t = translator(spoken.locale, 'chat');
  const what = `${sentenceOf('servers.rcon', input, spoken)}.`;
  const done = [
    t('done', { what }),
    ...(run.truncated ? [t('rcon.cut', { bytes: run.output_bytes })] : []),
  ].join(' ');
  if (run.output.trim() === '') return { content: `${done} ${t('rcon.silent')}` };
  const block = `${done}\n\`\`\`\n${defused(run.output)}\n\`\`\``;
  if (block.length <= LONGEST_ANSWER) return { content: block };
  const attachment = Buffer.from(run.output, 'utf8');
  return { content: `${done} ${t('rcon.inFile')}`, files: [{ attachment, name: 'output.txt' }] };
}

function purgeReply(
  { purge: { deleted, requested } }: OutputOf<'messages.purge'>,
  { channel_id }: InputOf<'messages.purge'>,
  { locale }: Spoken,
): Reply {
  const content = translator(locale, 'operations')('messages.purge.done', {
    count: deleted,
    fewer: deleted < requested ? 'yes' : 'no',
    asked: String(requested),
    channel: `<#${channel_id}>`,
    kept: deleted === 0 ? 'no' : 'yes',
  });
  return { content };
}

function strikesReply(
  { data, next_cursor }: OutputOf<'strikes.list'>,
  _: InputOf<'strikes.list'>,
  { locale, marks }: Spoken,
): Reply {
  const t = translator(locale, 'chat');
  if (data.length === 0) return { content: t('strikes.none') };
  const lines = data.map((strike) =>
    caseLine(
      locale,
      { ...strike, kind: 'strike', expires_at: null, ended_at: strike.removed_at },
      marks?.get(strike.id),
    ),
  );
  const more = next_cursor === null ? [] : [t('strikes.more')];
  return { content: fitting(t, [t('strikes.head'), ...lines], more) };
}

function editReply(
  { case: edited }: OutputOf<'cases.edit'>,
  _: InputOf<'cases.edit'>,
  { locale }: Spoken,
): Reply {
  const content = translator(locale, 'operations')('cases.edit.done', {
    number: String(edited.case_number),
    reason: quoted(edited.reason ?? '', LONGEST_REASON_ALONE),
  });
  return { content };
}

function linkReply(
  operation: 'cases.link' | 'cases.unlink',
  { link }: OutputOf<'cases.link'>,
  locale: Locale,
): Reply {
  const numbers = { number: String(link.case_number), other: String(link.other_number) };
  return { content: translator(locale, 'operations')(`${operation}.done`, numbers) };
}

function lengthReply(
  operation: 'bans.change' | 'mutes.change',
  sanction: OutputOf<'bans.change'>['ban'],
  { locale }: Spoken,
): Reply {
  const content = translator(locale, 'operations')(`${operation}.done`, {
    user: `<@${sanction.user_id}>`,
    permanent: sanction.expires_at === null ? 'yes' : 'no',
    date: sanction.expires_at === null ? '' : moment(sanction.expires_at, 'f'),
    number: String(sanction.case_number),
  });
  return { content };
}

function selfReply(
  { is_owner, capabilities, grants }: OutputOf<'members.self'>,
  _: InputOf<'members.self'>,
  { locale }: Spoken,
): Reply {
  const t = translator(locale, 'chat');
  if (is_owner) return { content: t('self.owner') };
  if (capabilities.length === 0) return { content: t('self.nothing') };
  const lines = grants.map((grant) => `<@&${grant.role_id}>: ${grant.capabilities.join(', ')}`);
  return { content: fitting(t, [t('self.head'), ...lines], []) };
}
