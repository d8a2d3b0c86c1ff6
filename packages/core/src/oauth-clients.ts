import { dropUnseen } from './unseen.ts';

/** The client_id of the local MCP process. */
export const MCP_CLIENT_ID = 'bailiff-mcp';

/** The clients of every instance, by client_id, with the names that people see (decisions: Device flow). */
const OWN_CLIENTS: readonly (readonly [string, string])[] = [
  [MCP_CLIENT_ID, 'Bailiff MCP'],
  ['bailiff-cli', 'Bailiff CLI'],
];

/** The clients that may ask for a token: names by client_id. */
export type OAuthClients = ReadonlyMap<string, string>;

export type ReadClients =
  | { readonly ok: true; readonly clients: OAuthClients }
  | { readonly ok: false; readonly problem: string };

const CLIENT_ID = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MOST_NAME_CHARACTERS = 64;

/**
 * Every instance's own clients, and those that the operator registers as `id:Name,id:Name`. A problem continues a
 * sentence that begins with the setting.
 */
export function readOAuthClients(text: string): ReadClients {
  const clients = new Map(OWN_CLIENTS);
  for (const entry of text.split(',').filter((part) => part.trim() !== '')) {
    const [, id = '', name = ''] = /^([^:]*):(.*)$/s.exec(entry.trim())?.map((part) => part.trim()) ?? [];
    const problem = problemWith(entry.trim(), id, name, clients);
    if (problem !== null) return { ok: false, problem };
    clients.set(id, name);
  }
  return { ok: true, clients };
}

function problemWith(entry: string, id: string, name: string, clients: OAuthClients): string | null {
  if (!CLIENT_ID.test(id)) {
    return `must list clients as id:Name, separated by commas, and the id of "${entry}" is not 1 to 64 characters of a-z, 0-9, ".", "_" and "-" that begin with a letter or digit`;
  }
  if (name === '' || name.length > MOST_NAME_CHARACTERS || dropUnseen(name) !== name) {
    return `must name the client ${id} with 1 to ${MOST_NAME_CHARACTERS} characters that people can see`;
  }
  return clients.has(id) ? `names the client ${id} twice, or it is one of Bailiff's own` : null;
}

/**
 * The name that is proposed for a client's token: what the client is called, at most 64 characters. It does not say from
 * which address the client asked: the name stands in every row of the audit log, and addresses are the owner's alone.
 */
export function proposedTokenName(client: string): string {
  // Half of a character at the cut is left out.
  return client
    .slice(0, MOST_NAME_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
}
