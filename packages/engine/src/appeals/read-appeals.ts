import type { OutputOf } from '@bailiff/core';
import { AppealState, sql } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import type { List } from '#src/calls/paging.ts';
import type { Read } from '#src/calls/readers.ts';
import { APPEAL, APPEAL_COLUMNS, appealWire } from './appeals.ts';

/** The list of a guild's appeals. */
export const APPEALS: List<typeof APPEAL, OutputOf<'appeals.get'>> = {
  name: 'appeals.list',
  from: 'appeals',
  columns: APPEAL,
  select: APPEAL_COLUMNS,
  filters: { state: { column: 'state', type: sql.oneOf({ AppealState }) } },
  wire: appealWire,
};

/** One appeal, by its id. */
export function readAppeal(guildId: string, appealId: string): Read<typeof APPEAL, OutputOf<'appeals.get'>> {
  return {
    parameters: [sql.text, sql.text],
    columns: APPEAL,
    text: `SELECT true AS found, ${APPEAL_COLUMNS} FROM appeals WHERE guild_id = $1 AND id = $2`,
    values: [guildId, appealId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row], { readerId }) => appealWire(row ?? absent('appeal', appealId), readerId),
  };
}
