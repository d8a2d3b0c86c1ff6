import { noticeWaiterKey, targetNoticeOf } from '@bailiff/engine/cases/case-notices';
import type { Engine } from '@bailiff/engine/engine';
import { type Locale, sayUndelivered } from '@bailiff/messages';
import { caseIn } from './case-in.ts';

/** Longer than a direct message takes, unless it waits in a queue. */
const WAIT_MS = 8_000;

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
  const told = caseIn(body);
  if (told === null) return null;
  const { caseId } = told;
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
