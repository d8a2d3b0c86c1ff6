import { z } from 'zod';

const Case = z.object({ id: z.string(), case_number: z.int(), user_id: z.string() });

/** The case in an answer, if it has one. */
export function caseIn(body: object): { caseId: string; caseNumber: number; userId: string } | null {
  for (const value of Object.values(body)) {
    const { data } = Case.safeParse(value);
    if (data !== undefined) return { caseId: data.id, caseNumber: data.case_number, userId: data.user_id };
  }
  return null;
}
