import { type CaseMarks, marksOf } from '@bailiff/engine/cases/case-list';
import type { Engine } from '@bailiff/engine/engine';
import { z } from 'zod';

/** Among all lists, those of cases have numbers of cases beside ids. */
const ListedCases = z.object({ data: z.array(z.object({ id: z.string(), case_number: z.int() })) });

/** The marks of the cases that an answer lists, by id. */
export function marksIn(
  { db }: Pick<Engine, 'db'>,
  guildId: string,
  body: object,
): Promise<ReadonlyMap<string, CaseMarks>> {
  const listed = ListedCases.safeParse(body).data?.data ?? [];
  return marksOf(
    db,
    guildId,
    listed.map(({ id }) => id),
  );
}
