import { z } from 'zod';
import { Snowflake } from '../ids.ts';
import { text } from '../operations/shapes.ts';

/** Before that there were no accounts of Discord's. */
const FIRST_MS = Date.UTC(2015, 0, 1);
const LAST_MS = Date.UTC(2100, 0, 1);

/** A moment of a record. */
export const At = z.iso
  .datetime({ offset: true })
  .refine((at) => Date.parse(at) >= FIRST_MS && Date.parse(at) < LAST_MS)
  .transform((at) => new Date(at).toISOString());

/** What a record is called where it comes from. */
export const Id = text(128);
export const Person = Snowflake;

/** A text of at most so many characters. What was forgotten is an empty one. */
export const Words = (most: number) => z.union([z.literal(''), text(most)]);
export const Text = (most: number) => Words(most).nullish();

/** The number of a case or ticket. */
export const Num = z.int().min(1).max(10_000_000);
