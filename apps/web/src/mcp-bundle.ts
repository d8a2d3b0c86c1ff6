import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The MCP process as one file, for people to download. */
export interface McpBundle {
  readonly source: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

const PATH = fileURLToPath(new URL('../../mcp/dist/bailiff-mcp.mjs', import.meta.url));

/**
 * The bundle that was built with this release; null if it was not built. What is served and the SHA-256 that is shown
 * are read once, so that they belong together also while an update replaces the file.
 */
export async function readMcpBundle(path = PATH): Promise<McpBundle | null> {
  const source = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return source === null ? null : { source, sha256: createHash('sha256').update(source).digest('hex') };
}
