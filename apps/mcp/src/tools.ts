import { canBeDestructive, entryOf, OPERATION_NAMES, type Operation, type ToolEntry } from '@bailiff/core';
import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as `tools/list` gives it (MCP 2026-07-28). */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** All four hints, always: an absent `destructiveHint` means true. */
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

const APPROVAL =
  "Needs the guild owner's approval: RE_AUTH_REQUIRED gives details.reauth_url to show to the owner; call again once it is given.";

/** The tools of every operation, in table order. Their guild is the token's, and no sentinel is an argument (spec §1). */
export function listTools(): readonly Tool[] {
  return OPERATION_NAMES.flatMap((name) => {
    const entry = entryOf(name);
    const { destructive } = entry.tool;
    if (destructive === undefined) return [toolOf(entry, entry.tool, canBeDestructive(name))];
    return [toolOf(entry, entry.tool, false), toolOf(entry, destructive, true)];
  });
}

function toolOf(entry: Operation, tool: ToolEntry, isDestructive: boolean): Tool {
  const title = tool.summary ?? entry.summary;
  const needs = entry.capability.includes('.') ? [`Needs the capability ${entry.capability}.`] : [];
  return {
    name: tool.name,
    description: [`${title}.`, ...needs, ...(isDestructive ? [APPROVAL] : [])].join(' '),
    inputSchema: jsonSchema(entry.input.extend(tool.fields ?? {})),
    outputSchema: jsonSchema(entry.output),
    annotations: {
      title,
      readOnlyHint: entry.http.method === 'GET',
      destructiveHint: isDestructive,
      idempotentHint: entry.http.method !== 'POST' || entry.http.idempotent === true,
      openWorldHint: entry.performedBy === 'bot',
    },
  };
}

/** JSON Schema (2020-12) with an object at its root, as MCP asks for. */
function jsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...root } = z.toJSONSchema(schema, {
    // As callers write it: defaults are optional, and answers may gain fields.
    io: 'input',
    override: ({ jsonSchema }) => {
      // zod's pattern of a date repeats what the format says in 300 characters.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const { $ref, ...rest } = root;
  const own = $ref === undefined ? undefined : root.$defs?.[$ref.replace('#/$defs/', '')];
  return typeof own === 'object' ? { ...own, ...rest } : root;
}
