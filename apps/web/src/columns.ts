/** The columns of lists that can be hidden, in their order. The column that opens a row always stands. */
export const LIST_COLUMNS = {
  cases: ['kind', 'member', 'reason', 'standing', 'moderator', 'issued'],
  audit: ['when', 'who', 'target', 'outcome', 'from'],
} as const;

export type ColumnList = keyof typeof LIST_COLUMNS;
export type ColumnOf<List extends ColumnList> = (typeof LIST_COLUMNS)[List][number];

/** The columns of a list that are shown. The cookie names those that were hidden, so a new column is shown at first. */
export function shownColumns<List extends ColumnList>(
  list: List,
  hidden: string | undefined,
): readonly ColumnOf<List>[] {
  const gone = hidden?.split('.') ?? [];
  const all: readonly ColumnOf<List>[] = LIST_COLUMNS[list];
  return all.filter((column) => !gone.includes(column));
}

/** What the cookie says when only these columns are shown. */
export function hiddenColumns(list: ColumnList, shown: readonly string[]): string {
  return LIST_COLUMNS[list].filter((column) => !shown.includes(column)).join('.');
}
