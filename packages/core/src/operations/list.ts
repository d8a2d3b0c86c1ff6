import type { z } from 'zod';
import { page, pageInput } from './shapes.ts';

/** The filters of a list, and an example: some of them as they are asked for, and what is found. */
interface Listed<Item extends z.ZodType, Filters extends z.ZodRawShape> {
  readonly filters: Filters;
  readonly asked: z.input<z.ZodObject<Filters>>;
  readonly found: z.output<Item>[];
}

/** The fields that every list of the public API has in common: it reads a page of items, narrowed by these filters. */
export function list<Item extends z.ZodType, Filters extends z.ZodRawShape>(
  item: Item,
  { filters, asked, found }: Listed<Item, Filters>,
) {
  const example = { input: { ...asked, limit: 10 }, output: { data: found, next_cursor: null } };
  return {
    tier: 'read',
    performedBy: 'store',
    input: pageInput(filters),
    output: page(item),
    example,
    notFound: null,
    target: () => null,
  } as const;
}
