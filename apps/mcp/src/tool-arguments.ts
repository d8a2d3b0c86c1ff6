// Arguments of tools are in snake_case, as the fields of bodies are. Core names the fields of a path in camelCase, as
// the specification's paths and sentinels do; until 0.1.0 the arguments had these names too.
import { z } from 'zod';

/** The name of the argument for a field of an operation's input. */
export function argumentOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The schema of a tool's arguments, from the input of its operation. */
export function argumentsSchema({ shape }: z.ZodObject): z.ZodObject {
  return z.strictObject(mapKeys(shape, argumentOf));
}

/** The input of an operation, from arguments that its tool's schema has accepted. */
export function inputFrom(args: object, { shape }: z.ZodObject): Record<string, unknown> {
  const fields = new Map(Object.keys(shape).map((field) => [argumentOf(field), field]));
  return mapKeys(args, (name) => fields.get(name) ?? name);
}

/** Arguments under their present names, and the former names among those that were given. */
export interface PresentArguments {
  readonly args: unknown;
  readonly former: readonly string[];
}

/** Takes arguments under their former names too, for one release (docs/versioning.md). */
export function underPresentNames(args: unknown, { shape }: z.ZodObject): PresentArguments {
  if (typeof args !== 'object' || args === null) return { args, former: [] };
  const former = Object.keys(shape).filter(
    (field) =>
      argumentOf(field) !== field && Object.hasOwn(args, field) && !Object.hasOwn(args, argumentOf(field)),
  );
  return { args: mapKeys(args, (name) => (former.includes(name) ? argumentOf(name) : name)), former };
}

/** What to tell who used former names; nothing if there were none. */
export function saidOfNames(former: readonly string[]): readonly string[] {
  return former.map(
    (field) => `The argument ${field} is now ${argumentOf(field)}. The next release refuses the former name.`,
  );
}

function mapKeys<Value>(given: Readonly<Record<string, Value>> | object, name: (key: string) => string) {
  return Object.fromEntries(Object.entries(given).map(([key, value]): [string, Value] => [name(key), value]));
}
