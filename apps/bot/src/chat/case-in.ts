import { z } from 'zod';

const Case = z.object({ id: z.string(), case_number: z.int(), user_id: z.string() });

/** The case in an answer, or the answer that is one. Null if there is none. */
export function caseIn(body: object): { caseId: string; caseNumber: number; userId: string } | null {
  for (const value of [body, ...Object.values(body)]) {
    const { data } = Case.safeParse(value);
    if (data !== undefined) return { caseId: data.id, caseNumber: data.case_number, userId: data.user_id };
  }
  return null;
}
