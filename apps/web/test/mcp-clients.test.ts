import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mcpLogin, mcpSnippets } from '#src/mcp-clients.ts';

const guide = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');

it('the guide and the dashboard tell clients the same', () => {
  for (const { client, text } of mcpSnippets(null)) {
    expect(guide, client).toContain(`**${client}**`);
    expect(guide, client).toContain(`\n${text}\n`);
  }
  expect(guide).toContain(`\n${mcpLogin('https://bailiff.example')}\n`);
});

it('a snippet with a token is JSON that a client can read, with the address and the secret in it', () => {
  const snippets = mcpSnippets({ publicUrl: 'https://bailiff.example', secret: 'svcpat_X' });
  const env = { BAILIFF_URL: 'https://bailiff.example', BAILIFF_TOKEN: 'svcpat_X' };
  const command = { command: 'npx', args: ['-y', '@bailiff/mcp'], env };
  const [terminal, desktop, code, cursor] = snippets.map(({ text }) => text);
  expect(terminal).toBe(
    'claude mcp add bailiff --env BAILIFF_URL=https://bailiff.example --env BAILIFF_TOKEN=svcpat_X -- npx -y @bailiff/mcp',
  );
  expect(JSON.parse(desktop ?? '')).toEqual({ mcpServers: { bailiff: command } });
  expect(JSON.parse(cursor ?? '')).toEqual({ mcpServers: { bailiff: command } });
  expect(JSON.parse(code ?? '')).toEqual({ servers: { bailiff: { type: 'stdio', ...command } } });
});

it('an address without encryption is allowed by name where it is not this computer', () => {
  const textAt = (publicUrl: string) => mcpSnippets({ publicUrl, secret: 's' })[0]?.text;
  expect(textAt('http://bailiff.lan:3000')).toContain('BAILIFF_ALLOW_HTTP=1');
  expect(textAt('http://localhost:3000')).not.toContain('BAILIFF_ALLOW_HTTP');
});
