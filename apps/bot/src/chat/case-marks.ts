import { type CaseMarks, marksOf } from '@bailiff/engine/cases/case-list';
import type { Engine } from '@bailiff/engine/engine';
import { z } from 'zod';

/** Among all answers, those that show cases have numbers of cases beside ids. */
const ShownCase = z.object({ id: z.string(), case_number: z.int() });
const ShownCases = z.union([
  z.object({ data: z.array(ShownCase) }).transform(({ data }) => data),
  ShownCase.transform((shown) => [shown]),
]);

/** The marks of the cases that an answer shows, by id. */
export function marksIn(
  { db }: Pick<Engine, 'db'>,
  guildId: string,
  body: object,
): Promise<ReadonlyMap<string, CaseMarks>> {
  const shown = ShownCases.safeParse(body).data ?? [];
  return marksOf(
    db,
    guildId,
    shown.map(({ id }) => id),
  );
}
