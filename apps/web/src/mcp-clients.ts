/** How to configure a common client to start Bailiff's MCP process (docs/mcp.md, "Connect"). */
export interface McpSnippet {
  readonly client: string;
  /** The file that the text belongs in; null for a terminal command. */
  readonly file: string | null;
  readonly text: string;
}

/** The instance that the MCP process is connected to. */
export interface McpInstance {
  readonly publicUrl: string;
  /**
   * The npm package of the MCP process that the operator publishes or trusts. Null until the operator has named it:
   * whoever registers a name that we only guess could run code on people's computers.
   */
  readonly mcpPackage: string | null;
}

/** The path at which the instance serves the MCP process as one file. */
export const MCP_BUNDLE_PATH = '/mcp/bailiff-mcp.mjs';

const FILE = 'bailiff-mcp.mjs';
/** Where the file is, in a configuration. Clients start it from a folder of their own. */
const FILE_PATH = `/path/to/${FILE}`;
const VS_CODE_INPUT = 'bailiff-token';
/** What Claude Code and VS Code replace by a value. */
const reference = (name: string) => `\${${name}}`;

/**
 * The commands that get the MCP process, where it is not a package, and then a token through the device flow.
 *
 * @param sha256 of the file, in hexadecimal
 */
export function mcpLogin({ publicUrl, mcpPackage }: McpInstance, sha256: string | null): string {
  if (mcpPackage !== null) return `npx -y ${mcpPackage} login --url ${publicUrl}`;
  const get = `curl -fO ${publicUrl}${MCP_BUNDLE_PATH}`;
  const login = `node ${FILE} login --url ${publicUrl}`;
  if (sha256 === null) return `${get}\n${login}`;
  // One command, so that a file which is another one does not run although all lines were pasted at once.
  return [get, `echo "${sha256}  ${FILE}" | shasum -a 256 -c`, login].join(' &&\n');
}

/**
 * The configuration for each client. With a token the process uses that token, otherwise the one that its login stored.
 * No token stands in a command, because shells keep those.
 */
export function mcpSnippets(instance: McpInstance, secret: string | null): McpSnippet[] {
  const start = startOf(instance, FILE_PATH);
  const variables = secret === null ? null : environmentOf(instance);
  const withToken = (token: string) =>
    variables === null ? {} : { env: { ...variables, BAILIFF_TOKEN: token } };
  const plain = pretty({ mcpServers: { bailiff: { ...start, ...withToken(secret ?? '') } } });
  const inTerminal = startOf(instance, `"$PWD/${FILE}"`);
  return [
    variables === null
      ? {
          client: 'Claude Code',
          file: null,
          text: `claude mcp add bailiff -- ${[inTerminal.command, ...inTerminal.args].join(' ')}`,
        }
      : {
          client: 'Claude Code',
          file: '.mcp.json',
          text: pretty({ mcpServers: { bailiff: { ...start, ...withToken(reference('BAILIFF_TOKEN')) } } }),
        },
    { client: 'Claude Desktop', file: 'claude_desktop_config.json', text: plain },
    {
      client: 'VS Code',
      file: '.vscode/mcp.json',
      text: pretty({
        ...(variables === null ? {} : { inputs: [VS_CODE_SECRET] }),
        servers: { bailiff: { type: 'stdio', ...start, ...withToken(reference(`input:${VS_CODE_INPUT}`)) } },
      }),
    },
    { client: 'Cursor', file: '~/.cursor/mcp.json', text: plain },
  ];
}

/** VS Code asks for it once and keeps it encrypted. */
const VS_CODE_SECRET = {
  type: 'promptString',
  id: VS_CODE_INPUT,
  description: 'Token of Bailiff',
  password: true,
};

function startOf({ mcpPackage }: McpInstance, path: string): { command: string; args: readonly string[] } {
  return mcpPackage === null
    ? { command: 'node', args: [path] }
    : { command: 'npx', args: ['-y', mcpPackage] };
}

/** The process accepts an address without encryption only with a setting, or on the same computer. */
function environmentOf({ publicUrl }: McpInstance): Record<string, string> {
  const { protocol, hostname } = new URL(publicUrl);
  const isOpen = protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return { BAILIFF_URL: publicUrl, ...(isOpen ? { BAILIFF_ALLOW_HTTP: '1' } : {}) };
}

function pretty(value: object): string {
  return JSON.stringify(value, null, 2);
}
