import type { TicketStatus } from '@bailiff/core';

/** The state of one ticket. The tabs, which are about many, have words of their own. */
export const STATUS_LABELS = {
  open: { word: 'isOpen', tone: 'waiting' },
  claimed: { word: 'isClaimed', tone: 'good' },
  closed: { word: 'isClosed', tone: 'off' },
} as const satisfies Record<TicketStatus, { word: string; tone: string }>;
