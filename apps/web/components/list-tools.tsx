import { type ColumnList, type ColumnOf, LIST_COLUMNS } from '#src/columns.ts';
import { columnsOf, hasExactTimes, PREFERENCES } from '#src/pages.ts';
import { DisplayOptions } from './display-options.tsx';
import { SavedViews } from './saved-views.tsx';

/** The buttons beside a list's title: the person's saved views, and how this browser shows the list. */
export async function ListTools<List extends ColumnList>({
  userId,
  list,
  label,
}: {
  userId: string;
  list: List;
  /** What a column is called. */
  label: (column: ColumnOf<List>) => string;
}) {
  const columns: readonly ColumnOf<List>[] = LIST_COLUMNS[list];
  return (
    <>
      <SavedViews userId={userId} />
      <DisplayOptions
        list={list}
        columns={columns.map((name) => ({ name, label: label(name) }))}
        shown={await columnsOf(list)}
        exactTimes={await hasExactTimes()}
        cookies={{ times: PREFERENCES.times, columns: PREFERENCES.columns[list] }}
      />
    </>
  );
}
