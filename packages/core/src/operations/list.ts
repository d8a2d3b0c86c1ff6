import type { z } from 'zod';
import { page, pageInput } from './shapes.ts';

/** The fields that every list of the public API has in common: it reads a page of items, narrowed by these filters. */
export function list<Item extends z.ZodType, Filters extends z.ZodRawShape>(item: Item, filters: Filters) {
  return {
    tier: 'read',
    performedBy: 'store',
    input: pageInput(filters),
    output: page(item),
    notFound: null,
  } as const;
}
