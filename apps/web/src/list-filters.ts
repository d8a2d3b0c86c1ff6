import { addressWith, dayIn, isId, isUserId, type PageQuery, textIn } from './page-query.ts';

export interface FilterOption {
  readonly value: string;
  readonly label: string;
}

/** A filter of a list, as its page declares it. Without `options` and `is`, every text is a value. */
export interface ListFilter {
  /** Its parameter in the address. */
  readonly name: string;
  readonly label: string;
  readonly options?: readonly FilterOption[];
  /** The words of the option that sets no filter. */
  readonly any?: string;
  /** A `target` is a person, or anything else that has an id. */
  readonly is?: 'person' | 'target' | 'day';
  /** Where it is set, if not by a field of its own: in the search field, by tabs, or among the rarely used fields. */
  readonly place?: 'search' | 'tabs' | 'more';
}

/** What is wrong with the value in the address. */
export type FilterProblem = 'choice' | 'person' | 'day' | 'text' | 'twice';

export interface ReadFilter extends ListFilter {
  /** The value in the address, right or wrong; undefined if the filter is not set. */
  readonly value: string | undefined;
  readonly problem: FilterProblem | null;
}

/** A filter that is set, with the address of the list without it. */
export interface FilterChip {
  readonly name: string;
  readonly text: string;
  readonly href: string;
  readonly wrong: boolean;
}

/**
 * The filters with their values in the address.
 *
 * @param wrong the names of filters whose value the list's own reader refuses
 */
export function readFilters(
  query: PageQuery,
  filters: readonly ListFilter[],
  wrong: readonly string[] = [],
): readonly ReadFilter[] {
  return filters.map((filter) => {
    const raw = query[filter.name];
    const value = Array.isArray(raw) ? raw.join(', ') : textIn(query, filter.name);
    if (value === undefined) return { ...filter, value, problem: null };
    const problem = Array.isArray(raw) ? 'twice' : problemOf(query, filter);
    return { ...filter, value, problem: problem ?? (wrong.includes(filter.name) ? 'text' : null) };
  });
}

function problemOf(query: PageQuery, { name, options, is }: ListFilter): FilterProblem | null {
  const value = textIn(query, name) ?? '';
  if (options !== undefined) return options.some((option) => option.value === value) ? null : 'choice';
  if (is === 'person') return isUserId(value) ? null : 'person';
  if (is === 'target') return isId(value) ? null : 'person';
  if (is === 'day') return dayIn(query, name) === undefined ? 'day' : null;
  return null;
}

/** The parameters of the filters that are set, for other addresses of the same list. */
export function parametersOf(filters: readonly ReadFilter[]): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(filters.map(({ name, value }) => [name, value]));
}

/** Whether anything but a tab narrows the list. */
export function isNarrowed(filters: readonly ReadFilter[]): boolean {
  return filters.some(({ place, value }) => place !== 'tabs' && value !== undefined);
}

/** The name of the person with this id. Of a text that anybody may type, as `constructor`, there is none. */
export function nameIn(names: Readonly<Record<string, string>>, value = ''): string | undefined {
  return Object.hasOwn(names, value) ? names[value] : undefined;
}

/** The filters that are set, by name. A tab is one only if its value is wrong: the tabs show a right one. */
export function chipsOf(
  path: string,
  filters: readonly ReadFilter[],
  names: Readonly<Record<string, string>>,
): readonly FilterChip[] {
  const parameters = parametersOf(filters);
  return filters.flatMap(({ name, label, value, problem, options, place }) => {
    if (value === undefined || (place === 'tabs' && problem === null)) return [];
    const said = options?.find((option) => option.value === value)?.label ?? nameIn(names, value) ?? value;
    return [
      {
        name,
        text: place === 'search' ? `“${said}”` : `${label}: ${said}`,
        href: addressWith(path, { ...parameters, [name]: undefined }),
        wrong: problem !== null,
      },
    ];
  });
}
