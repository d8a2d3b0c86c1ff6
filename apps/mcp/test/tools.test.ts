import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { toolsFor } from '#src/offer.ts';
import { TOOL_SPECS, type Tool } from '#src/tools.ts';
import { toolsInPage } from '../document-tools.ts';

const tools = TOOL_SPECS.map(({ tool }) => tool);

function tool(name: string): Tool {
  const found = tools.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
}

test('the tool list is the committed one', async () => {
  await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot('__snapshots__/tools.json.snap');
});

test('names are unique and legal', () => {
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

test('docs/mcp.md lists every tool; where it does not, `node apps/mcp/document-tools.ts` writes it', async () => {
  verifies('mcp.tools-documented');
  const { now, right } = await toolsInPage();
  expect(now).toBe(right);
  for (const { name } of tools) expect(now).toContain(`| \`${name}\`: `);
});

test('every argument is in snake_case', () => {
  verifies('mcp.snake-case');
  for (const { name, inputSchema } of tools)
    for (const argument of Object.keys(inputSchema.properties as object))
      expect(argument, name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

test('no tool shows a confirmation', () => {
  verifies('mcp.sentinel.not-an-argument');
  for (const shown of tools) expect(JSON.stringify(shown)).not.toMatch(/confirmation/i);
});

test('every schema has an object at its root, and no input takes further fields', () => {
  for (const { inputSchema, outputSchema } of tools) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(outputSchema).toMatchObject({ type: 'object' });
    expect(outputSchema).not.toHaveProperty('$ref');
  }
});

test('every reference inside a schema resolves', () => {
  for (const { outputSchema } of tools) {
    const defined = Object.keys((outputSchema.$defs as object | undefined) ?? {});
    for (const [, name] of JSON.stringify(outputSchema).matchAll(/"#\/\$defs\/(\w+)"/g))
      expect(defined).toContain(name);
  }
});

/** The keywords of a schema and of the schemas in it, those with a value that narrows it by their value. */
function keywordsIn(schema: object): string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties' || keyword === '$defs')
      return [keyword, ...Object.values(value as object).flatMap(keywordsIn)];
    if (keyword === 'const') return [`const ${typeof value}`];
    const isOfSchemas = ['items', 'anyOf', 'oneOf', 'additionalProperties', 'propertyNames'].includes(
      keyword,
    );
    return [keyword, ...(isOfSchemas ? [value].flat().flatMap(keywordsIn) : [])];
  });
}

test('no result is narrower than what an instance may answer within v1: new values, longer ids, wider bounds', () => {
  const may = new Set(['type', 'properties', 'required', 'items', 'anyOf', 'oneOf', '$ref', '$defs']);
  const says = new Set(['description', 'examples', 'format', 'additionalProperties', 'propertyNames']);
  for (const { name, outputSchema } of tools) {
    // A discriminator has the only constant.
    const narrow = keywordsIn(outputSchema).filter((each) => !may.has(each) && !says.has(each));
    expect([...new Set(narrow)], name).toEqual(name === 'whoami' ? ['const boolean'] : []);
  }
});

test('the hints are true', () => {
  expect(tool('list_bans').annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
  expect(tool('claim_ticket').annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  });
  expect(tool('ban_user').annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  for (const { annotations } of tools) {
    expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false);
  }
});

test('short and long mutes are two tools whose bounds meet', () => {
  expect(tool('mute_user').inputSchema).toMatchObject({
    properties: { duration_minutes: { minimum: 1, maximum: 1440 } },
  });
  expect(tool('mute_user').annotations.destructiveHint).toBe(false);
  expect(tool('mute_user_long').inputSchema).toMatchObject({
    properties: { duration_minutes: { minimum: 1441, maximum: 525_600 } },
  });
  expect(tool('mute_user_long').annotations.destructiveHint).toBe(true);
});

test('a path parameter is an argument, the guild is not', () => {
  expect(tool('unban_user').inputSchema).toMatchObject({ required: ['user_id'] });
  for (const { inputSchema } of tools) expect(JSON.stringify(inputSchema)).not.toContain('guildId');
});

test('what follows approvals is offered only beside a tool that can need one', () => {
  verifies('mcp.get-approval.offered');
  const all = { readOnly: false, tools: null };
  const names = (...given: Parameters<typeof toolsFor>) =>
    toolsFor(...given).map(({ tool: { name } }) => name);
  expect(names(all, ['bans.read', 'tickets.write'])).not.toContain('get_approval');
  expect(names(all, ['bans.read', 'bans.write'])).toContain('get_approval');
  expect(names({ ...all, readOnly: true }, ['bans.read', 'bans.write'])).not.toContain('get_approval');
});
