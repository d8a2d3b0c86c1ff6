import type { InputOf } from '@bailiff/core';
import { CaseKind, type Database, type RowOf, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';

/** Most cases that one case is linked with (decisions: Changed cases). */
const MOST_LINKS = 20;

const PAIR = { id: sql.text, case_number: sql.int, links: sql.int };

// In the order of their ids, so that two links of the same cases do not wait for each other.
const lockPair = sql.statement({
  parameters: [sql.text, sql.text, sql.int],
  columns: PAIR,
  text: `SELECT id, case_number,
      (SELECT count(*) FROM case_links WHERE cases.id IN (case_id, other_id))::int AS links
    FROM cases WHERE guild_id = $1 AND (id = $2 OR case_number = $3) ORDER BY id FOR NO KEY UPDATE`,
});

/** The case of a call and the one with the other number, both locked. */
async function pairOf(tx: Transaction, guildId: string, input: InputOf<'cases.link' | 'cases.unlink'>) {
  const { caseId, other_number: otherNumber } = input;
  const rows = await lockPair.all(tx, [guildId, caseId, otherNumber]);
  const one = rows.find(({ id }) => id === caseId);
  const other = rows.find(({ case_number }) => case_number === otherNumber);
  if (one === undefined) return notFound('case', caseId);
  if (other === undefined) return notFound('case', `#${otherNumber}`);
  return one === other ? forbidden('CASE_LINK_SELF') : { one, other };
}

function linkWire(one: RowOf<typeof PAIR>, other: RowOf<typeof PAIR>) {
  return { link: { case_id: one.id, case_number: one.case_number, other_number: other.case_number } };
}

const linkBetween = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { is_linked: sql.bool },
  text: `SELECT EXISTS (SELECT FROM case_links WHERE case_id = least($1, $2) AND other_id = greatest($1, $2))
    AS is_linked`,
});

const putLink = sql.command({
  parameters: [sql.text, sql.text, sql.text, sql.text],
  text: `INSERT INTO case_links (guild_id, case_id, other_id, linked_by)
    VALUES ($1, least($2, $3), greatest($2, $3), $4) ON CONFLICT DO NOTHING`,
});

/** Links two cases of a guild. Linking them again changes nothing. */
export const linkCases: StorePerformer<'cases.link'> = async (tx, { guildId, input, actor }) => {
  const pair = await pairOf(tx, guildId, input);
  if ('code' in pair) return { state: 'failed', error: pair };
  const { one, other } = pair;
  const isFull = one.links >= MOST_LINKS || other.links >= MOST_LINKS;
  if (isFull && !(await linkBetween.only(tx, [one.id, other.id])).is_linked)
    return { state: 'failed', error: forbidden('CASE_LINK_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      await putLink.run(tx, [guildId, one.id, other.id, actorUserId(actor)]);
      return linkWire(one, other);
    },
  };
};

const dropLink = sql.command({
  parameters: [sql.text, sql.text],
  text: 'DELETE FROM case_links WHERE case_id = least($1, $2) AND other_id = greatest($1, $2)',
});

/** Unlinks two cases. Unlinking them again changes nothing. */
export const unlinkCases: StorePerformer<'cases.unlink'> = async (tx, { guildId, input }) => {
  const pair = await pairOf(tx, guildId, input);
  if ('code' in pair) return { state: 'failed', error: pair };
  const { one, other } = pair;
  return {
    state: 'done',
    write: async () => {
      await dropLink.run(tx, [one.id, other.id]);
      return linkWire(one, other);
    },
  };
};

const LINKED = { id: sql.text, case_number: sql.int, kind: sql.oneOf({ CaseKind }) };

const linkedWith = sql.statement({
  parameters: [sql.text],
  columns: LINKED,
  text: `SELECT c.id, c.case_number, c.kind FROM (
      SELECT other_id AS id FROM case_links WHERE case_id = $1
      UNION ALL SELECT case_id FROM case_links WHERE other_id = $1) AS linked JOIN cases c USING (id)
    ORDER BY c.case_number`,
});

/** The cases that a case is linked with, by number. The caller decides who may see them. */
export function linksOf({ pool }: Pick<Database, 'pool'>, caseId: string): Promise<RowOf<typeof LINKED>[]> {
  return linkedWith.all(pool, [caseId]);
}
