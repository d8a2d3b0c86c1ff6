// Writes the list of tools into docs/mcp.md, from the table of operations. A test compares the two.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOOL_SPECS, type Tool } from '#src/tools.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'mcp.md');
const BEGIN = '<!-- Written by apps/mcp/document-tools.ts from here -->';
const END = '<!-- to here -->';

/** docs/mcp.md as it is, and as it has to be. */
export async function toolsInPage(): Promise<{ readonly now: string; readonly right: string }> {
  const now = await readFile(PAGE, 'utf8');
  const [before = '', rest = ''] = now.split(BEGIN);
  const [, after = ''] = rest.split(END);
  const table = [
    '| Tool | Arguments | Hints |',
    '|---|---|---|',
    ...TOOL_SPECS.map(({ tool }) => rowOf(tool)),
  ];
  return { now, right: `${before}${BEGIN}\n\n${table.join('\n')}\n\n${END}${after}` };
}

function rowOf({ name, inputSchema, annotations }: Tool): string {
  const { properties = {}, required = [] } = inputSchema as {
    readonly properties?: object;
    readonly required?: readonly string[];
  };
  const given = Object.keys(properties).map((field) => `\`${field}\`${required.includes(field) ? '' : '?'}`);
  const hints = [
    annotations.readOnlyHint ? 'read-only' : annotations.destructiveHint ? 'destructive' : 'reversible',
    ...(annotations.idempotentHint && !annotations.readOnlyHint ? ['idempotent'] : []),
    ...(annotations.openWorldHint ? ['open world'] : []),
  ];
  return `| \`${name}\`: ${annotations.title} | ${given.join(', ') || 'none'} | ${hints.join(', ')} |`;
}

if (import.meta.main) await writeFile(PAGE, (await toolsInPage()).right);
