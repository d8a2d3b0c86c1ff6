import {
  CASE_KIND_NAMES,
  type Capability,
  canBeDestructive,
  caseKind,
  entryOf,
  isLongOperation,
  REST_OPERATION_NAMES,
  type RestEntry,
  type RestOperation,
  type ToolEntry,
} from '@bailiff/core';
import { z } from 'zod';
import { argumentsSchema } from './tool-arguments.ts';
import { NOTICE_FIELD } from './untrusted.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as `tools/list` gives it (MCP 2026-07-28). */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** Always all four hints, because an absent `destructiveHint` means true. */
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** A tool and its operation. */
export interface ToolSpec {
  readonly tool: Tool;
  readonly operation: RestOperation;
  /** The operation's input with the tool's narrower bounds. */
  readonly input: z.ZodObject;
  /** The same fields under the names of the tool's arguments. */
  readonly arguments: z.ZodObject;
  /** The capabilities of which the token needs one; null if any live token can use the tool. */
  readonly capabilities: readonly Capability[] | null;
  /** Whether it is of use only where a destructive tool is offered. */
  readonly forDestructive: boolean;
}

const APPROVAL =
  "Needs the guild owner's approval: RE_AUTH_REQUIRED gives details.reauth_url to show to the owner; get_approval follows it; call again once it is given.";

/** The tools of every operation, in table order. Their guild is the token's, and no sentinel is an argument (spec §1). */
export const TOOL_SPECS: readonly ToolSpec[] = REST_OPERATION_NAMES.flatMap((name) => {
  const { tool } = entryOf(name);
  const { destructive } = tool;
  if (destructive === undefined) return [specOf(name, tool, canBeDestructive(name))];
  return [specOf(name, tool, false), specOf(name, destructive, true)];
});

function specOf(operation: RestOperation, tool: ToolEntry, isDestructive: boolean): ToolSpec {
  const entry = entryOf(operation);
  const input = entry.input.extend(tool.fields ?? {});
  const capabilities = neededFor(entry);
  const args = argumentsSchema(input);
  return {
    tool: toolOf(entry, tool, args, isDestructive),
    operation,
    input,
    arguments: args,
    capabilities,
    forDestructive: tool.forDestructive === true,
  };
}

function neededFor({ capability, tier }: Pick<RestEntry, 'capability' | 'tier'>): Capability[] | null {
  if (capability === 'none') return null;
  if (capability === 'of_case') {
    return [...new Set(CASE_KIND_NAMES.map((kind) => caseKind(kind)[tier === 'read' ? 'reader' : 'writer']))];
  }
  if (capability !== 'of_action') return [capability];
  // Every action can be read, but only a long one can be stopped.
  if (tier === 'read') return null;
  return REST_OPERATION_NAMES.filter(isLongOperation).flatMap((long) => neededFor(entryOf(long)) ?? []);
}

function toolOf(entry: RestEntry, tool: ToolEntry, args: z.ZodObject, isDestructive: boolean): Tool {
  const title = tool.summary ?? entry.summary;
  const needs = entry.capability.includes('.') ? [`Needs the capability ${entry.capability}.`] : [];
  return {
    name: tool.name,
    description: [`${title}.`, ...needs, ...(isDestructive ? [APPROVAL] : [])].join(' '),
    inputSchema: jsonSchema(args),
    outputSchema: withNotice(jsonSchema(entry.output, leaveOpen)),
    annotations: {
      title,
      readOnlyHint: entry.http.method === 'GET',
      destructiveHint: isDestructive,
      idempotentHint: entry.http.method !== 'POST' || entry.http.idempotent === true,
      openWorldHint: entry.performedBy === 'bot',
    },
  };
}

/** The field of a result that says how to treat its text, declared next to the operation's fields. */
function withNotice(schema: JsonSchema): JsonSchema {
  const notice = { [NOTICE_FIELD]: { type: 'string' } };
  return { ...schema, properties: { ...notice, ...(schema.properties as JsonSchema | undefined) } };
}

/** JSON Schema (2020-12) with an object at its root, as MCP asks for. */
function jsonSchema(schema: z.ZodType, override: (schema: z.core.JSONSchema.BaseSchema) => void = () => {}) {
  const { $schema: _, ...root } = z.toJSONSchema(schema, {
    // The schema of what callers send: fields with defaults are optional, and answers may get new fields.
    io: 'input',
    override: ({ jsonSchema }) => {
      // zod's pattern for a date repeats the format in 300 characters.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      override(jsonSchema);
    },
  });
  const { $ref, ...rest } = root;
  const own = $ref === undefined ? undefined : root.$defs?.[$ref.replace('#/$defs/', '')];
  return typeof own === 'object' ? { ...own, ...rest } : root;
}

/**
 * Admits what a newer instance may answer within v1: new values, longer ids, wider bounds (docs/versioning.md). Clients
 * refuse a result that does not fit its schema, so that a call that was made would look like an error.
 */
function leaveOpen(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.enum !== undefined) schema.examples ??= schema.enum;
  for (const keyword of ['enum', 'pattern', 'minimum', 'maximum'] as const) delete schema[keyword];
}
