import { type Call, callOf, caseState, type InputOf, type OutputOf } from '@bailiff/core';
import type { CaseMarks } from '@bailiff/engine/cases/case-list';
import { type Locale, sayCase, translator } from '@bailiff/messages';
import { ButtonStyle, ComponentType } from 'discord.js';
import type { Reply, Spoken } from './answers.ts';
import { LONGEST_ANSWER } from './fitting.ts';
import { moment, quoted } from './text.ts';

const LONGEST_REASON = 80;
/** Room for the line about the other cases. */
const TAIL_CHARACTERS = 120;

type Case = OutputOf<'cases.get'>;
type OwnCase = OutputOf<'cases.own'>['data'][number];

type Line = Pick<
  Case,
  'case_number' | 'kind' | 'severity' | 'user_id' | 'reason' | 'issued_by' | 'issued_at' | 'expires_at'
> &
  Pick<Case, 'active' | 'ended_at'>;

/** A case on one line. It says where the case stands, in the words of the dashboard's lists. */
export function caseLine(locale: Locale, shown: Line, marks?: CaseMarks): string {
  const say = translator(locale, 'standing');
  const { expires_at: end } = shown;
  const state = caseState(shown, marks?.isReplaced);
  const ending = state === 'inForce' && end !== null ? `, ${say('ends')} ${moment(end, 'R')}` : '';
  return translator(locale, 'chat')('cases.line', {
    number: String(shown.case_number),
    kind: [sayCase(locale, shown), ...(marks?.isImported ? [say('imported')] : [])].join(' · '),
    who: `<@${shown.user_id}>`,
    reason: shown.reason === null ? '' : ` ${quoted(shown.reason, LONGEST_REASON)}`,
    by: `<@${shown.issued_by}>`,
    date: moment(shown.issued_at, 'd'),
    state: `${say(state)}${ending}`,
  });
}

/** A page of somebody's cases, for moderators. */
export function casesReply(
  { data, total, has_older }: OutputOf<'cases.list'>,
  { user_id, before_number }: InputOf<'cases.list'>,
  { locale, marks }: Spoken,
): Reply {
  const t = translator(locale, 'chat');
  const who = `<@${user_id}>`;
  if (data.length === 0) return { content: t('cases.none', { who }) };
  const lines = data.map(
    (shown) => [shown.case_number, caseLine(locale, shown, marks?.get(shown.id))] as const,
  );
  const page = {
    head: t('cases.head', { count: total, who }),
    lines,
    isFirst: before_number === undefined,
    hasOlder: has_older,
  };
  return pageReply(locale, page, (before) => `cases.list:${user_id}:${before}`);
}

/** A page of the reader's own cases. */
export function ownCasesReply(
  { data, total, has_older }: OutputOf<'cases.own'>,
  { before_number }: InputOf<'cases.own'>,
  { locale }: Spoken,
): Reply {
  const t = translator(locale, 'chat');
  if (data.length === 0) return { content: t('own.none') };
  const lines = data.map((shown) => [shown.case_number, ownLine(locale, shown)] as const);
  const page = {
    head: t('own.head', { count: total }),
    lines,
    isFirst: before_number === undefined,
    hasOlder: has_older,
  };
  return pageReply(locale, page, (before) => `cases.own::${before}`);
}

function ownLine(locale: Locale, shown: OwnCase): string {
  const { reason } = shown;
  return translator(locale, 'chat')('own.line', {
    number: String(shown.case_number),
    kind: sayCase(locale, shown),
    reason: reason === null ? '' : ` ${quoted(reason, LONGEST_REASON)}`,
    date: moment(shown.issued_at, 'd'),
    state: caseState(shown, shown.replaced),
  });
}

/** What the button to a page says of it. `before` is the number of the case before the page, or empty for the first. */
type PageId = (before: string) => string;

interface ShownPage {
  readonly head: string;
  /** The lines by the numbers of their cases, the newest first. */
  readonly lines: readonly (readonly [caseNumber: number, line: string])[];
  readonly isFirst: boolean;
  readonly hasOlder: boolean;
  /** The case after which the next page begins. Absent: the last one. */
  readonly lookedTo?: number;
}

const BUTTON = 'page:';

/** As many cases as fit into one answer. The button beneath them begins after the last one. */
export function pageReply(locale: Locale, shown: ShownPage, from: PageId): Reply {
  const { head, lines, isFirst, hasOlder } = shown;
  const t = translator(locale, 'chat');
  let used = head.length + TAIL_CHARACTERS;
  const kept = lines.filter(([, line]) => {
    used += line.length + 1;
    return used <= LONGEST_ANSWER;
  });
  const isWhole = kept.length === lines.length;
  const last = (isWhole ? shown.lookedTo : undefined) ?? kept.at(-1)?.[0] ?? 0;
  const isLast = isWhole && !hasOlder;
  const button = (label: string, before: string) => ({
    type: ComponentType.Button as const,
    style: ButtonStyle.Secondary as const,
    label,
    custom_id: `${BUTTON}${from(before)}`,
  });
  const buttons = [
    ...(isFirst ? [] : [button(t('pages.newest'), '')]),
    ...(isLast ? [] : [button(t('pages.older'), String(last))]),
  ];
  return {
    content: [head, ...kept.map(([, line]) => line)].join('\n'),
    components: buttons.length === 0 ? [] : [{ type: ComponentType.ActionRow, components: buttons }],
  };
}

const PAGE_BUTTON = /^page:(?:cases\.list:(\d{17,20})|cases\.own:):(\d{0,10})$/;

/** What a button shows beneath a page of cases. All of it is in the button, so it works after a restart. Null for others. */
export function pageOfButton(customId: string): Call<'cases.list'> | Call<'cases.own'> | null {
  const [matched, user_id, number = ''] = PAGE_BUTTON.exec(customId) ?? [];
  if (matched === undefined) return null;
  const before = number === '' ? {} : { before_number: Number(number) };
  return user_id === undefined ? callOf('cases.own', before) : callOf('cases.list', { user_id, ...before });
}
