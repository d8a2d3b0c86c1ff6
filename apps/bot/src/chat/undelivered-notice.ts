import { noticeWaiterKey, targetNoticeOf } from '@bailiff/engine/cases/case-notices';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import type { TargetNoticeState } from '@bailiff/prisma';

/** Longer than a direct message takes, unless it waits for its turn. */
const WAIT_MS = 8_000;

const UNDELIVERED = {
  closed: 'undelivered.closed',
  absent: 'undelivered.absent',
  not_sent: 'undelivered.notSent',
  unknown: 'undelivered.unknown',
} as const satisfies Partial<Record<TargetNoticeState, string>>;

/** The case that an answer is about, where it has one. */
function caseIdIn(body: object): string | null {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value && 'id' in value) {
      return String(value.id);
    }
  }
  return null;
}

/**
 * That the target of what was done could not be told, in words; null where they were told, or where nobody is. Waits
 * until it is known, for some seconds at most: of a strike or mute they are told after the fact.
 */
export async function undeliveredNotice(
  engine: Engine,
  body: object,
  locale: Locale,
  closing: AbortSignal,
): Promise<string | null> {
  const caseId = caseIdIn(body);
  if (caseId === null) return null;
  const deadline = performance.now() + WAIT_MS;
  const waiter = engine.waiters.expect(noticeWaiterKey(caseId));
  try {
    for (;;) {
      const notice = await targetNoticeOf(engine.db, caseId);
      const leftMs = deadline - performance.now();
      const isOver = leftMs <= 0 || closing.aborted;
      if (notice === null || (notice.state === 'sending' && isOver)) return null;
      if (notice.state !== 'sending') return said(notice.state, notice.userId, locale);
      await waiter.within(leftMs);
    }
  } finally {
    waiter.release();
  }
}

function said(state: TargetNoticeState, userId: string, locale: Locale): string | null {
  if (!Object.hasOwn(UNDELIVERED, state)) return null;
  return translator(locale, 'chat')(UNDELIVERED[state as keyof typeof UNDELIVERED], { who: `<@${userId}>` });
}
