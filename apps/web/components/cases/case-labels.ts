import type { CaseOrigin } from '@bailiff/engine/cases/case-list';
import type { CaseKind, CaseRow } from '@bailiff/engine/cases/cases';
import type { Translator } from '@bailiff/messages';

export const KIND_LABELS = {
  strike: 'kindStrike',
  ban: 'kindBan',
  mute: 'kindMute',
  warning: 'kindWarning',
} as const satisfies Record<CaseKind, string>;

export const SEVERITY_LABELS = { minor: 'severityMinor', major: 'severityMajor' } as const;

/** The state of a case as a message key, and the tone of its badge. */
export function standingOf(row: Pick<CaseRow, 'active' | 'ended_at' | 'kind'>) {
  if (row.active) return { word: 'inForce', tone: 'waiting' } as const;
  if (row.ended_at === null) return { word: 'expired', tone: 'off' } as const;
  return { word: row.kind === 'ban' || row.kind === 'mute' ? 'lifted' : 'removed', tone: 'off' } as const;
}

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
