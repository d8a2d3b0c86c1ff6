import { z } from 'zod';
import type { PerformerDeps } from '#src/performers/deps.ts';
import { postAppeal } from './post.ts';
import { tellAppeal } from './tell.ts';

const AppealJob = z.object({ appeal_id: z.string() });

/** The jobs that show appeals to moderators and tell people what was decided. */
export function appealTasks(deps: PerformerDeps, timeoutMs: number) {
  return {
    post_appeal: (payload: unknown) =>
      postAppeal(deps, AppealJob.parse(payload).appeal_id, AbortSignal.timeout(timeoutMs)),
    tell_appeal: (payload: unknown) =>
      tellAppeal(deps, AppealJob.parse(payload).appeal_id, AbortSignal.timeout(timeoutMs)),
  };
}
