import { readFileSync } from 'node:fs';
import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { mcpLogin, mcpSnippets } from '#src/mcp-clients.ts';

const guide = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
const SERVED = { publicUrl: 'https://bailiff.example', mcpPackage: null };
const PUBLISHED = { ...SERVED, mcpPackage: '@example/bailiff-mcp' };
const SECRET = 'svcpat_X';

it('the guide and the dashboard tell clients the same', () => {
  for (const { client, text } of mcpSnippets(SERVED, null)) {
    expect(guide, client).toContain(`**${client}**`);
    expect(guide, client).toContain(`\n${text}\n`);
  }
  expect(guide).toContain(`\n${mcpLogin(SERVED, null)}\n`);
});

it('no package is named before the operator has named it', () => {
  verifies('mcp.package');
  const texts = (instance: typeof SERVED | typeof PUBLISHED) =>
    [...mcpSnippets(instance, null), ...mcpSnippets(instance, SECRET)]
      .map(({ text }) => text)
      .concat(mcpLogin(instance, 'abc'));
  for (const text of texts(SERVED)) expect(text).not.toMatch(/npx|@bailiff/);
  for (const text of texts(PUBLISHED)) expect(text).toMatch(/npx.*@example\/bailiff-mcp/s);
  expect(mcpLogin(SERVED, 'abc')).toBe(
    'curl -fO https://bailiff.example/mcp/bailiff-mcp.mjs &&\n' +
      'echo "abc  bailiff-mcp.mjs" | shasum -a 256 -c &&\n' +
      'node bailiff-mcp.mjs login --url https://bailiff.example',
  );
});

it('a snippet with a token is JSON that a client can read, with the secret only where the client keeps it', () => {
  const [code, desktop, vsCode, cursor] = mcpSnippets(SERVED, SECRET).map(({ text }) => JSON.parse(text));
  const start = { command: 'node', args: ['/path/to/bailiff-mcp.mjs'] };
  const envWith = (token: string) => ({ BAILIFF_URL: 'https://bailiff.example', BAILIFF_TOKEN: token });
  expect(code).toEqual({ mcpServers: { bailiff: { ...start, env: envWith(`$\{BAILIFF_TOKEN}`) } } });
  expect(desktop).toEqual({ mcpServers: { bailiff: { ...start, env: envWith(SECRET) } } });
  expect(cursor).toEqual(desktop);
  expect(vsCode).toEqual({
    inputs: [expect.objectContaining({ id: 'bailiff-token', password: true })],
    servers: { bailiff: { type: 'stdio', ...start, env: envWith(`$\{input:bailiff-token}`) } },
  });
});

it('no secret stands in a command for a terminal', () => {
  for (const { file, text } of mcpSnippets(SERVED, SECRET))
    if (file === null) expect(text).not.toContain(SECRET);
});

it('an address without encryption is allowed by name where it is not this computer', () => {
  const textAt = (publicUrl: string) => mcpSnippets({ ...SERVED, publicUrl }, SECRET)[0]?.text;
  expect(textAt('http://bailiff.lan:3000')).toContain('"BAILIFF_ALLOW_HTTP": "1"');
  expect(textAt('http://localhost:3000')).not.toContain('BAILIFF_ALLOW_HTTP');
});
