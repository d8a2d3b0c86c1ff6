import type { Parameter, Schema } from '@bailiff/core/testing-openapi';
import { type ApiDocument, jsonOf, type Operation, type Side, variants } from './schema.ts';

type Compare = (before: Side, now: Side, where: string) => string[];

/**
 * What callers of the document `before` would notice in the document `now`: one sentence for each thing that is gone,
 * has become narrower or has another type. Nothing for what was added.
 */
export function breakingChanges(before: ApiDocument, now: ApiDocument): string[] {
  return Object.entries(before.paths).flatMap(([path, operations]) => {
    const kept = now.paths[path];
    if (kept === undefined) return [`The path ${path} is gone.`];
    return Object.entries(operations).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const present = kept[method];
      if (present === undefined) return [`${name} is gone.`];
      const sides = [
        { document: before, operation },
        { document: now, operation: present },
      ] as const;
      return [...parameters(...sides, name), ...body(...sides, name), ...responses(...sides, name)];
    });
  });
}

interface OperationSide {
  readonly document: ApiDocument;
  readonly operation: Operation;
}

function parameters(before: OperationSide, now: OperationSide, name: string): string[] {
  const { parameters: old = [] } = before.operation;
  const { parameters: present = [] } = now.operation;
  const same = (a: Parameter) => (b: Parameter) => a.name === b.name && a.in === b.in;
  const added = present.filter((parameter) => parameter.required && !old.some(same(parameter)));
  return [
    ...added.map((parameter) => `${name} has the new required parameter ${parameter.name}.`),
    ...old.flatMap((parameter) => {
      const where = `The parameter ${parameter.name} of ${name}`;
      const kept = present.find(same(parameter));
      if (kept === undefined) return [`${where} is gone.`];
      const required = kept.required && !parameter.required ? [`${where} is required now.`] : [];
      const sides = [
        { document: before.document, schema: parameter.schema },
        { document: now.document, schema: kept.schema },
      ] as const;
      return [...required, ...taken(...sides, where)];
    }),
  ];
}

function body(before: OperationSide, now: OperationSide, name: string): string[] {
  const [old, present] = [before.operation.requestBody, now.operation.requestBody];
  if (present === undefined) return old === undefined ? [] : [`${name} takes no body any more.`];
  if (present.required && !old?.required) return [`${name} requires a body now.`];
  const [sent, accepted] = [jsonOf(before.document, old), jsonOf(now.document, present)];
  if (sent === undefined || accepted === undefined) return [];
  return taken({ ...before, schema: sent }, { ...now, schema: accepted }, `The body of ${name}`);
}

function responses(before: OperationSide, now: OperationSide, name: string): string[] {
  return Object.entries(before.operation.responses).flatMap(([status, response]) => {
    const given = now.operation.responses[status];
    if (given === undefined) return [`${name} no longer answers ${status}.`];
    const [known, present] = [jsonOf(before.document, response), jsonOf(now.document, given)];
    if (known === undefined || present === undefined) return [];
    return answered({ ...before, schema: known }, { ...now, schema: present }, `The ${status} of ${name}`);
  });
}

/** What callers notice of a schema whose values they are given: each of its variants must be one that they know. */
const answered: Compare = (before, now, where) =>
  variants(now).flatMap((given) =>
    leastTrouble(variants(before), (known) => answeredOne(known, given, where)),
  );

/** What callers notice of a schema whose values they send: each of its variants must still be taken. */
const taken: Compare = (before, now, where) =>
  variants(before).flatMap((sent) =>
    leastTrouble(variants(now), (accepted) => takenOne(sent, accepted, where)),
  );

function leastTrouble(candidates: readonly Side[], troubleWith: (candidate: Side) => string[]): string[] {
  const troubles = candidates.map(troubleWith).sort((a, b) => a.length - b.length);
  return troubles[0] ?? [];
}

function answeredOne(before: Side, now: Side, where: string): string[] {
  const type = changedType(before, now, where);
  if (type.length > 0) return type;
  const lost = (before.schema.enum ?? []).filter((value) => !(now.schema.enum ?? []).includes(value));
  return [
    ...lost.map((value) => `${where} is no longer ${JSON.stringify(value)}.`),
    ...inside(before, now, where, answered, (field, [was, is]) =>
      is === undefined ? [`${field} is gone.`] : was && !is ? [`${field} may be absent now.`] : [],
    ),
  ];
}

function takenOne(before: Side, now: Side, where: string): string[] {
  const type = changedType(before, now, where);
  if (type.length > 0) return type;
  const [old, present] = [before.schema, now.schema];
  const refused =
    present.enum === undefined
      ? []
      : (old.enum ?? ['any value']).filter((value) => !present.enum?.includes(value));
  const added = (present.required ?? []).filter((field) => old.properties?.[field] === undefined);
  return [
    ...refused.map((value) => `${where} no longer takes ${JSON.stringify(value)}.`),
    ...narrowed(old, present).map((bound) => `${where} is narrower: ${bound}.`),
    ...(old.properties === undefined
      ? []
      : added.map((field) => `${where} has the new required field ${field}.`)),
    ...inside(before, now, where, taken, (field, [was, is]) =>
      is === undefined ? [`${field} is no longer taken.`] : is && !was ? [`${field} is required now.`] : [],
    ),
  ];
}

function changedType({ schema: old }: Side, { schema: present }: Side, where: string): string[] {
  return old.type === present.type ? [] : [`${where} was ${old.type} and is ${present.type}.`];
}

/** Bounds of strings and numbers that are tighter than they were. */
function narrowed(old: Schema, present: Schema): string[] {
  const lower = (['minimum', 'minLength'] as const).filter(
    (bound) => (present[bound] ?? Number.NEGATIVE_INFINITY) > (old[bound] ?? Number.NEGATIVE_INFINITY),
  );
  const upper = (['maximum', 'maxLength'] as const).filter(
    (bound) => (present[bound] ?? Number.POSITIVE_INFINITY) < (old[bound] ?? Number.POSITIVE_INFINITY),
  );
  const text = (['pattern', 'format'] as const).filter(
    (rule) => present[rule] !== undefined && present[rule] !== old[rule],
  );
  return [...lower, ...upper, ...text].map((rule) => `${rule} is ${present[rule]}`);
}

/** Compares the items of arrays and the fields of objects; `presence` judges whether a field was and is required. */
function inside(
  before: Side,
  now: Side,
  where: string,
  compare: Compare,
  presence: (field: string, required: readonly [was: boolean, is: boolean | undefined]) => string[],
): string[] {
  const [old, present] = [before.schema, now.schema];
  const items =
    old.items === undefined
      ? []
      : compare(
          { ...before, schema: old.items },
          { ...now, schema: present.items ?? {} },
          `An item of ${lower(where)}`,
        );
  const fields = Object.entries(old.properties ?? {}).flatMap(([field, schema]) => {
    const kept = present.properties?.[field];
    const name = `The field ${field} of ${lower(where)}`;
    const was = old.required?.includes(field) ?? false;
    const is = kept === undefined ? undefined : (present.required?.includes(field) ?? false);
    const deeper = kept === undefined ? [] : compare({ ...before, schema }, { ...now, schema: kept }, name);
    return [...presence(name, [was, is]), ...deeper];
  });
  return [...items, ...fields];
}

const lower = (where: string) => `${where.charAt(0).toLowerCase()}${where.slice(1)}`;
