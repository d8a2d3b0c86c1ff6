import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findAccount, readAddress } from '#src/account.ts';
import { configurationFolder } from '#src/paths.ts';
import { Store } from '#src/store.ts';
import { GUILD, SECRET, temporaryFolder } from './support.ts';

const LOGIN = { url: 'https://bailiff.test', secret: SECRET, token_id: 'tok_1', guild_id: GUILD };

let folder: { path: string; remove: () => Promise<void> };
let store: Store;

beforeEach(async () => {
  folder = await temporaryFolder();
  store = new Store(join(folder.path, 'bailiff'));
});
afterEach(() => folder.remove());

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

test('the token is kept in a file of its owner alone, and nothing is left beside it', async () => {
  await store.write({ ...LOGIN, token_id: 'tok_0' });
  await chmod(store.path, 0o644);
  await chmod(store.folder, 0o755);
  expect(await store.isOpenToOthers()).toBe(true);
  await store.write(LOGIN);
  expect(await modeOf(store.path)).toBe('600');
  expect(await modeOf(store.folder)).toBe('700');
  expect(await store.isOpenToOthers()).toBe(false);
  expect(await store.read()).toEqual({ kind: 'login', login: LOGIN });
  expect(await readdir(store.folder)).toEqual(['mcp.json']);
});

test('a write that fails leaves what was there', async () => {
  await store.write(LOGIN);
  const before = await readFile(store.path, 'utf8');
  const broken = new Store(store.folder);
  Object.defineProperty(broken, 'path', { value: join(store.path, 'not-a-folder') });
  await expect(broken.write({ ...LOGIN, token_id: 'tok_2' })).rejects.toThrow();
  expect(await readFile(store.path, 'utf8')).toBe(before);
});

test('a write that cannot be finished leaves no file with the token behind', async () => {
  await mkdir(store.path, { recursive: true });
  await expect(store.write(LOGIN)).rejects.toThrow();
  expect(await readdir(store.folder)).toEqual(['mcp.json']);
});

test('what is not a login is said to be none of ours', async () => {
  expect(await store.read()).toEqual({ kind: 'none' });
  await store.write(LOGIN);
  await writeFile(store.path, '{"url":');
  expect(await store.read()).toMatchObject({ kind: 'unreadable' });
  expect(await findAccount({}, store)).toMatchObject({
    ok: false,
    problem: expect.stringContaining(' login'),
  });
  expect(await store.remove()).toBe(true);
  expect(await store.remove()).toBe(false);
});

describe('the account', () => {
  test('the environment overrides the store', async () => {
    await store.write(LOGIN);
    const other = SECRET.replaceAll('A', 'B');
    expect(await findAccount({}, store)).toMatchObject({
      account: { url: 'https://bailiff.test', secret: SECRET, guildId: GUILD, source: 'store' },
    });
    expect(
      await findAccount({ BAILIFF_TOKEN: other, BAILIFF_URL: 'https://other.test/' }, store),
    ).toMatchObject({
      account: { url: 'https://other.test', secret: other, guildId: null, source: 'environment' },
    });
  });

  test.each([
    'https://other.test',
    'https://bailiff.test.other.test',
    'https://bailiff.test:8443',
    'https://bailiff.test/other',
  ])('a stored token never goes to another address: %s', async (url) => {
    await store.write(LOGIN);
    const found = await findAccount({ BAILIFF_URL: url }, store);
    expect(found).toMatchObject({ ok: false, problem: expect.stringContaining(`--url ${url}`) });
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });

  test.each([`${SECRET}\n`, ` ${SECRET}`, `"${SECRET}"`, 'svcpat_'])(
    'BAILIFF_TOKEN %j is refused and not shown',
    async (token) => {
      const found = await findAccount({ BAILIFF_TOKEN: token }, store);
      expect(found).toMatchObject({ ok: false, problem: expect.stringContaining('BAILIFF_TOKEN') });
      expect(JSON.stringify(found)).not.toContain(SECRET);
    },
  );
});

test.each([
  ['https://bailiff.test/', 'https://bailiff.test'],
  ['https://bailiff.test/mod//', 'https://bailiff.test/mod'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:4600', 'http://127.0.0.1:4600'],
  ['http://127.0.1.1:4600', 'http://127.0.1.1:4600'],
  ['http://[::1]:4600', 'http://[::1]:4600'],
])('%s is an address', (text, url) => {
  expect(readAddress(text, {})).toEqual({ ok: true, url });
});

test.each([
  'bailiff.test',
  'ftp://bailiff.test',
  'https://me:secret@bailiff.test',
  'https://me@bailiff.test',
  'https://:secret@bailiff.test',
  'https://bailiff.test?x=1',
  'https://bailiff.test#x',
  'http://bailiff.test',
  'http://localhost.bailiff.test',
  'http://127.0.0.1.bailiff.test',
  'http://10.0.0.5:3000',
  'http://192.168.1.5:3000',
])('%s is none that a token is sent to', (text) => {
  expect(readAddress(text, {})).toMatchObject({ ok: false });
});

test('an unencrypted address is one where it is allowed', () => {
  expect(readAddress('http://10.0.0.5:3000', { BAILIFF_ALLOW_HTTP: '1' })).toMatchObject({ ok: true });
});

test('the folder is that of the platform', () => {
  expect(configurationFolder({ XDG_CONFIG_HOME: '/x' }, 'linux')).toBe(join('/x', 'bailiff'));
  expect(configurationFolder({}, 'linux')).toMatch(/\.config.bailiff$/);
  expect(configurationFolder({}, 'darwin')).toMatch(/Library.Application Support.Bailiff$/);
  expect(configurationFolder({ APPDATA: 'C:\\x' }, 'win32')).toBe(join('C:\\x', 'Bailiff'));
});
