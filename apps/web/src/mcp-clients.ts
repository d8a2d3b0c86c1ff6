/** How to configure a common client to start Bailiff's MCP process (docs/mcp.md, "Connect"). */
export interface McpSnippet {
  readonly client: string;
  /** The file that the text belongs in; null for a terminal command. */
  readonly file: string | null;
  readonly text: string;
}

const COMMAND = '"command": "npx", "args": ["-y", "@bailiff/mcp"]';

/** The command that gets a token through the device flow and stores it. */
export function mcpLogin(publicUrl: string): string {
  return `npx -y @bailiff/mcp login --url ${publicUrl}`;
}

/**
 * The configuration for each client. With a token the process uses that token, otherwise the one that its login stored.
 */
export function mcpSnippets(
  token: { readonly publicUrl: string; readonly secret: string } | null,
): McpSnippet[] {
  const environment = token === null ? {} : environmentOf(token);
  const options = Object.entries(environment).map(([name, value]) => ` --env ${name}=${value}`);
  return [
    {
      client: 'Claude Code',
      file: null,
      text: `claude mcp add bailiff${options.join('')} -- npx -y @bailiff/mcp`,
    },
    {
      client: 'Claude Desktop',
      file: 'claude_desktop_config.json',
      text: entry('mcpServers', '', environment),
    },
    { client: 'VS Code', file: '.vscode/mcp.json', text: entry('servers', '"type": "stdio", ', environment) },
    { client: 'Cursor', file: '~/.cursor/mcp.json', text: entry('mcpServers', '', environment) },
  ];
}

/** The process accepts an address without encryption only with a setting, or on the same computer. */
function environmentOf({ publicUrl, secret }: { publicUrl: string; secret: string }): Record<string, string> {
  const { protocol, hostname } = new URL(publicUrl);
  const isOpen = protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return {
    BAILIFF_URL: publicUrl,
    BAILIFF_TOKEN: secret,
    ...(isOpen ? { BAILIFF_ALLOW_HTTP: '1' } : {}),
  };
}

function entry(root: string, type: string, environment: Record<string, string>): string {
  const variables = Object.entries(environment).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
  const env =
    variables.length === 0
      ? ' '
      : `,\n      "env": {\n        ${variables.join(',\n        ')}\n      }\n    `;
  const start = variables.length === 0 ? ' ' : '\n      ';
  return `{\n  "${root}": {\n    "bailiff": {${start}${type}${COMMAND}${env}}\n  }\n}`;
}
