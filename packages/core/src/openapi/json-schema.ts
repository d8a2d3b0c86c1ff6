import { z } from 'zod';

/** JSON Schema 2020-12 of a zod schema. Named schemas that it refers to are added to the document's components. */
export function jsonSchema(
  schema: z.ZodType,
  schemas: Record<string, unknown>,
  io: 'input' | 'output',
): Record<string, unknown> {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: made }) => {
      // Answers may get further fields within a version, and what reads them by their schema must not refuse these.
      if (io === 'output' && made.additionalProperties === false) delete made.additionalProperties;
      // zod's pattern for a date repeats the format in 300 characters. The only thing it adds is that times are in UTC.
      if (made.format === 'date-time') made.pattern = 'Z$';
      // Some generators of clients ignore `const: false`. Their types could not tell variants apart by such a field.
      if (made.const === false) {
        delete made.const;
        made.enum = [false];
      }
    },
  });
  for (const [id, named] of Object.entries($defs)) schemas[id] = withComponentRefs(named);
  return withComponentRefs(root) as Record<string, unknown>;
}

function withComponentRefs(value: unknown): unknown {
  const { id: _, ...rest } = JSON.parse(
    JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'),
  );
  return rest;
}
