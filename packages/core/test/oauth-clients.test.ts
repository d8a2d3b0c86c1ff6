import { expect, test } from 'vitest';
import { MCP_CLIENT_ID, proposedTokenName, readOAuthClients } from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const OWN = { 'bailiff-mcp': 'Bailiff MCP', 'bailiff-cli': 'Bailiff CLI' };

test.each([
  ['', OWN],
  [' , ,', OWN],
  ['acme-bot:Acme Bot', { ...OWN, 'acme-bot': 'Acme Bot' }],
  [' a : Größer als B , 0._-:Time: 10', { ...OWN, a: 'Größer als B', '0._-': 'Time: 10' }],
  [`${'a'.repeat(64)}:${'b'.repeat(64)}`, { ...OWN, ['a'.repeat(64)]: 'b'.repeat(64) }],
])('%j registers clients beside our own', (text, expected) => {
  verifies('device.clients');
  const read = readOAuthClients(text);
  expect(read.ok && Object.fromEntries(read.clients)).toEqual(expected);
  expect(OWN).toHaveProperty(MCP_CLIENT_ID);
});

const ID_RULE = 'is not 1 to 64 characters of a-z, 0-9, ".", "_" and "-" that begin with a letter or digit';
const badId = (entry: string) =>
  `must list clients as id:Name, separated by commas, and the id of "${entry}" ${ID_RULE}`;
const badName = (id: string) => `must name the client ${id} with 1 to 64 characters that people can see`;

test.each([
  ['acme', badId('acme')],
  [' acme ', badId('acme')],
  [':Acme', badId(':Acme')],
  ['Acme:Acme', badId('Acme:Acme')],
  ['-acme:Acme', badId('-acme:Acme')],
  ['a b:Acme', badId('a b:Acme')],
  [`${'a'.repeat(65)}:Acme`, badId(`${'a'.repeat(65)}:Acme`)],
  ['acme:', badName('acme')],
  ['acme: ', badName('acme')],
  [`acme:${'b'.repeat(65)}`, badName('acme')],
  ['acme:A\u202eB', badName('acme')],
  ['acme:A\nB', badName('acme')],
  ['acme:A,acme:B', "names the client acme twice, or it is one of Bailiff's own"],
  ['bailiff-cli:Mine', "names the client bailiff-cli twice, or it is one of Bailiff's own"],
])('%j is refused with one sentence', (text, problem) => {
  verifies('device.clients');
  expect(readOAuthClients(text)).toEqual({ ok: false, problem });
});

test.each([
  ['Bailiff CLI', 'Bailiff CLI'],
  ['x'.repeat(65), 'x'.repeat(64)],
  [`${'x'.repeat(63)} yy`, 'x'.repeat(63)],
  [`${'x'.repeat(63)}🦀y`, 'x'.repeat(63)],
])('the token of %j is to be called %j', (client, name) => {
  verifies('device.consent.choices');
  expect(proposedTokenName(client)).toBe(name);
});
