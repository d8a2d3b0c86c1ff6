import type { Web } from './web.ts';

const NEW_LINE = 10;

/** Begins an export of a guild's audit log. Returns the path to fetch it from. */
export async function beginExport(
  { origin }: Pick<Web, 'origin'>,
  { guildId, cookie }: { readonly guildId: string; readonly cookie: string },
  filters: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await fetch(`${origin}/api/guilds/${guildId}/exports`, {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'application/json' },
    body: JSON.stringify({ format: 'csv', filters }),
  });
  const { href } = (await answer.json()) as { href?: string };
  if (href === undefined) throw new Error(`An export answered ${answer.status}.`);
  return href;
}

/** How many lines end in a piece of an export. */
export function countLines(chunk: Uint8Array): number {
  let lines = 0;
  for (const byte of chunk) if (byte === NEW_LINE) lines += 1;
  return lines;
}
