/** A name for the filters of a list. */
export interface SavedView {
  readonly name: string;
  /** The filters, as the query of the list's address. */
  readonly query: string;
}

export const MOST_VIEWS = 20;
export const MOST_NAME_CHARACTERS = 60;

/** What stands in the address only while somebody turns pages. */
const NOT_FILTERS = ['before', 'after'];

/** The filters of an address, as a view keeps them; empty without filters. */
export function filtersIn(query: URLSearchParams): string {
  const filters = new URLSearchParams(query);
  for (const name of NOT_FILTERS) filters.delete(name);
  return filters.toString();
}

/** The views that a browser has kept; none if what it kept cannot be read. */
export function readViews(kept: string | null): readonly SavedView[] {
  try {
    const read: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(read) ? read.filter(isView).slice(0, MOST_VIEWS) : [];
  } catch {
    return [];
  }
}

/** The views with one more, or with new filters for its name; null if there is no room. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] | null {
  const others = views.filter(({ name }) => name !== view.name);
  return others.length < MOST_VIEWS
    ? [...others, view].toSorted((a, b) => a.name.localeCompare(b.name))
    : null;
}

function isView(value: unknown): value is SavedView {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    value.name !== '' &&
    value.name.length <= MOST_NAME_CHARACTERS &&
    'query' in value &&
    typeof value.query === 'string'
  );
}
