import type { TicketStatus } from '@bailiff/core';

export const STATUS_LABELS = {
  open: { word: 'open', tone: 'waiting' },
  claimed: { word: 'claimed', tone: 'good' },
  closed: { word: 'closed', tone: 'off' },
} as const satisfies Record<TicketStatus, { word: string; tone: string }>;
