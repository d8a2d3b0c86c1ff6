import { noticeWaiterKey, targetNoticeOf } from '@bailiff/engine/cases/case-notices';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, translator } from '@bailiff/messages';
import type { TargetNoticeState } from '@bailiff/prisma';

/** Longer than a direct message takes, unless it waits in a queue. */
const WAIT_MS = 8_000;

const UNDELIVERED = {
  closed: 'undelivered.closed',
  absent: 'undelivered.absent',
  not_sent: 'undelivered.notSent',
  unknown: 'undelivered.unknown',
} as const satisfies Partial<Record<TargetNoticeState, string>>;

/** The id of the case in an answer, if it has one. */
export function caseIdIn(body: object): string | null {
  for (const value of Object.values(body)) {
    if (typeof value === 'object' && value !== null && 'case_number' in value && 'id' in value) {
      return String(value.id);
    }
  }
  return null;
}

/**
 * A text that says that the target could not be notified. Null if they were notified, or if nobody is to be. Waits some
 * seconds at most for the result, because the target of a strike or mute is notified afterwards.
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
      if (notice.state !== 'sending') return sayUndelivered(notice.state, notice.userId, locale);
      await waiter.within(leftMs);
    }
  } finally {
    waiter.release();
  }
}

/** Says that the target of a case was not told, or not for certain. Null if they were. */
export function sayUndelivered(state: TargetNoticeState, userId: string, locale: Locale): string | null {
  if (!Object.hasOwn(UNDELIVERED, state)) return null;
  return translator(locale, 'chat')(UNDELIVERED[state as keyof typeof UNDELIVERED], { who: `<@${userId}>` });
}
