import type { ColumnList, ColumnOf } from '#src/columns.ts';
import { columnsOf, hasExactTimes, PREFERENCES } from '#src/pages.ts';
import { DisplayOptions } from './display-options.tsx';

/** The button for how a list is shown, with what was chosen in this browser. */
export async function ListDisplay<List extends ColumnList>({
  list,
  labels,
}: {
  list: List;
  labels: Readonly<Record<ColumnOf<List>, string>>;
}) {
  return (
    <DisplayOptions
      list={list}
      columns={Object.entries<string>(labels).map(([name, label]) => ({ name, label }))}
      shown={await columnsOf(list)}
      exactTimes={await hasExactTimes()}
      cookies={{ times: PREFERENCES.times, columns: PREFERENCES.columns[list] }}
    />
  );
}
