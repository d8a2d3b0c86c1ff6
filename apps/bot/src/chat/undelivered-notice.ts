import { noticeWaiterKey, targetNoticeOf } from '@bailiff/engine/cases/case-notices';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, sayUndelivered } from '@bailiff/messages';

/** Longer than a direct message takes, unless it waits in a queue. */
const WAIT_MS = 8_000;

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
      if (notice.state !== 'sending') return sayUndelivered(locale, notice.state, `<@${notice.userId}>`);
      await waiter.within(leftMs);
    }
  } finally {
    waiter.release();
  }
}
