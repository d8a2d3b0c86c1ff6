import type { ColumnList, ColumnOf } from '#src/columns.ts';
import { columnsOf, hasExactTimes, PREFERENCES } from '#src/pages.ts';
import { DisplayOptions } from './display-options.tsx';
import { SavedViews } from './saved-views.tsx';

/** The buttons beside a list's title: the person's saved views, and how this browser shows the list. */
export async function ListTools<List extends ColumnList>({
  userId,
  list,
  labels,
}: {
  userId: string;
  list: List;
  labels: Readonly<Record<ColumnOf<List>, string>>;
}) {
  return (
    <>
      <SavedViews userId={userId} />
      <DisplayOptions
        list={list}
        columns={Object.entries<string>(labels).map(([name, label]) => ({ name, label }))}
        shown={await columnsOf(list)}
        exactTimes={await hasExactTimes()}
        cookies={{ times: PREFERENCES.times, columns: PREFERENCES.columns[list] }}
      />
    </>
  );
}
