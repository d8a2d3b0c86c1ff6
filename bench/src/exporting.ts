import { setTimeout as delay } from 'node:timers/promises';
import { CROWD } from '@bailiff/engine/testing-crowd';
import { signInAs } from './dashboard-visitors.ts';
import { beginExport, countLines } from './exported.ts';
import type { Web } from './web.ts';

/** People of the crowd's first guild who may export its audit log: the owner, and two with a role. */
const EXPORTERS = [CROWD.ownerId, '400000000000000001', '400000000000000002'];
const TRY_AGAIN_MS = 50;

/** A guild whose people export its audit log without a pause. It is sent so many rows. */
export async function startExporting(web: Web): Promise<() => Promise<number>> {
  const startedAt = performance.now();
  const over = new AbortController();
  let rows = 0;
  const exporter = async (userId: string) => {
    const cookie = await signInAs(web.pool, userId);
    for (let href = ''; !over.signal.aborted; ) {
      href ||= await beginExport(web, { guildId: CROWD.guildId, cookie }, { reads: 'shown' });
      const answer = await fetch(web.origin + href, { headers: { cookie }, signal: over.signal });
      for await (const chunk of answer.body ?? []) rows += countLines(chunk);
      // Others of the guild export already.
      if (answer.status === 429) await delay(TRY_AGAIN_MS);
      else href = '';
    }
  };
  const exporters = EXPORTERS.map((userId) =>
    exporter(userId).catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    }),
  );
  return async () => {
    over.abort();
    await Promise.all(exporters);
    return rows / ((performance.now() - startedAt) / 1000);
  };
}
