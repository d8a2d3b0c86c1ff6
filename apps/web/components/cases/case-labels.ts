import { CASE_KINDS, type CaseKind, caseKind, caseState } from '@bailiff/core/case-kinds';
import type { CaseOrigin } from '@bailiff/engine/cases/case-list';
import type { CaseRow } from '@bailiff/engine/cases/cases';
import type { Translator } from '@bailiff/messages';

/** The key, among the words of the operations, of what cases of a kind are called. */
export function kindName(kind: CaseKind) {
  return `${CASE_KINDS[kind].words}.case.name` as const;
}

/** The key of who issued a case. */
export function issuedBy(kind: CaseKind) {
  return `${CASE_KINDS[kind].words}.case.issued` as const;
}

/** The key of who ended a case; null where nothing can. */
export function endedBy(kind: CaseKind) {
  return canEnd(kind) ? (`${CASE_KINDS[kind].words}.case.ended` as const) : null;
}

type EndingKind = {
  [K in CaseKind]: (typeof CASE_KINDS)[K]['end'] extends null ? never : K;
}[CaseKind];

function canEnd(kind: CaseKind): kind is EndingKind {
  return caseKind(kind).end !== null;
}

export const SEVERITY_LABELS = { minor: 'severityMinor', major: 'severityMajor' } as const;

/** Whether it is a ban that has run out and that the bot could not lift. */
export function isOverdue({
  kind,
  ended_at,
  end_failed_at,
}: Pick<CaseRow, 'kind' | 'ended_at' | 'end_failed_at'>) {
  return caseKind(kind).endedInTimeBy === 'bot' && ended_at === null && end_failed_at !== null;
}

/** The state of a case as a message key, and the tone of its badge. */
export function standingOf(
  row: Pick<CaseRow, 'active' | 'ended_at' | 'end_failed_at' | 'expires_at' | 'kind'>,
  isReplaced: boolean,
) {
  if (isOverdue(row)) return { word: 'overdue', tone: 'warn' } as const;
  const word = caseState(row, isReplaced);
  return { word, tone: word === 'inForce' ? 'waiting' : 'off' } as const;
}

/** The states of a call to a game server as message keys of `servers`, and the tones of their badges. */
export const CALL_STATES = {
  done: { word: 'stateDone', tone: 'good' },
  failed: { word: 'stateFailed', tone: 'bad' },
  unknown: { word: 'stateUnknown', tone: 'warn' },
  cancelled: { word: 'stateCancelled', tone: 'off' },
  pending: { word: 'statePending', tone: 'waiting' },
  running: { word: 'stateRunning', tone: 'waiting' },
} as const;

/** The source of an action that no token performed. */
export const SOURCES = {
  chat: 'sourceChat',
  dashboard: 'sourceDashboard',
  system: 'sourceSystem',
  operator: 'sourceOperator',
} as const;

/** The source of an action: a token, chat or the dashboard. It includes the address if the reader may see it. */
export function originText(t: Translator<'cases'>, origin: CaseOrigin): string {
  const { source, byHand, tokenName, address } = origin;
  const from = byHand
    ? t('sourceByHand')
    : source === null
      ? t('sourceUnknown')
      : source === 'token'
        ? t('sourceToken', { token: tokenName ?? '' })
        : t(SOURCES[source]);
  return address === null ? from : `${from}, ${t('fromAddress', { address })}`;
}
