import { spawn } from 'node:child_process';
import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ERRORS, entryOf, isLongOperation, REST_OPERATION_NAMES, TIERS } from '@bailiff/core';
import { Owner } from '@bailiff/sandbox/visitor';
import { refillBudgets } from '#src/budgets.ts';
import { run } from '#src/run.ts';
import { expect, test, verifies } from '#src/testing.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (path: string) => readFile(join(ROOT, path), 'utf8');

test.beforeAll(() => refillBudgets(run.directory));

test('.env.example explains exactly the variables that are read', async () => {
  const explained = [...(await read('.env.example')).matchAll(/^([A-Z_]+)=/gm)].map(([, name = '']) => name);
  const sources = [
    'packages/core/src/configuration.ts',
    'apps/bot/src/config.ts',
    'apps/web/src/config.ts',
    'apps/supervisor/src/settings.ts',
  ];
  const checked = (await Promise.all(sources.map(read))).flatMap((source) =>
    [...source.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name),
  );
  // Read by the tests, and by every command that looks for the data (apps/supervisor/src/root.ts).
  const others = ['CHROMIUM_PATH', 'BAILIFF_DIR'];
  expect(explained.toSorted()).toEqual([...new Set([...checked, ...others])].toSorted());
});

test('the packages are named @bailiff/*', async () => {
  verifies('ops.package-names');
  for await (const path of glob('{packages/*,apps/*,prisma,e2e,bench}/package.json', { cwd: ROOT })) {
    expect(JSON.parse(await read(path)).name, path).toMatch(/^@bailiff\/[a-z0-9-]+$/);
  }
});

test('the entry that docs/adding-an-operation.md walks through is the one in the code', async () => {
  const withoutIndents = (source: string) => source.replace(/^ +/gm, '').trim();
  const guide = await read('docs/adding-an-operation.md');
  for (const [begins, file] of [
    ["'bans.lift'", 'bans.ts'],
    ['export const LIFT', 'lift.ts'],
  ] as const) {
    const shown = guide.split('```').find((block) => block.startsWith(`ts\n${begins}`)) ?? '';
    expect(shown, begins).not.toBe('');
    const source = await read(`packages/core/src/operations/${file}`);
    expect(withoutIndents(source)).toContain(withoutIndents(shown.slice('ts\n'.length)));
  }
});

test.describe('docs/public-api.md', () => {
  test('names every sentinel as the operation table has it', async () => {
    const rows = (await read('docs/public-api.md')).split('\n');
    for (const name of REST_OPERATION_NAMES) {
      const { http, sentinel } = entryOf(name);
      if (sentinel === undefined) continue;
      const named = rows.filter((line) => line.startsWith(`| \`${http.method} ${http.path}\``)).join('\n');
      expect(named, http.path).toContain(`\`${sentinel.template}\``);
    }
  });

  test('names every operation with its capability, budget and status, and every filter of a list', async () => {
    const rows = (await read('docs/public-api.md')).split('\n');
    for (const name of REST_OPERATION_NAMES) {
      const { http, capability, tier, input } = entryOf(name);
      const row = rows.find((line) => line.startsWith(`| \`${http.method} ${http.path}\` | `));
      const [, needed = '', budget = '', status] = row?.split(' | ').map((cell) => cell.trim()) ?? [];
      expect(row, `${http.method} ${http.path}`).toBeDefined();
      if (capability !== 'of_action') expect(needed, name).toContain(capability);
      if (typeof tier === 'string') expect(`${budget}_write`, name).toMatch(new RegExp(`^${tier}`));
      const goesOn = isLongOperation(name) ? ', or 202 while it goes on' : '';
      expect(status, name).toBe(`${http.success}${goesOn} |`);
      if (!('cursor' in input.shape)) continue;
      const filters = rows.find((line) => line.startsWith(`| \`${http.path}\` |`));
      const ofPath = [...http.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      for (const filter of Object.keys(input.shape)) {
        if (['limit', 'cursor', ...ofPath].includes(filter)) continue;
        expect(filters, http.path).toContain(`\`${filter}\``);
      }
    }
  });

  test('names every error with its statuses', async () => {
    const rows = [...(await read('docs/public-api.md')).matchAll(/^\| `([A-Z_]+)` \| ([\d, ]+) \|/gm)];
    expect(rows.map(([, code]) => code).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
    for (const [, code = '', statuses = ''] of rows) {
      expect(statuses.split(', ').map(Number), code).toContain(ERRORS[code as keyof typeof ERRORS].status);
    }
  });

  test('names every budget as it is', async () => {
    const page = await read('docs/public-api.md');
    for (const { capacity, refillPerMinute } of Object.values(TIERS)) {
      expect(page).toMatch(new RegExp(`\\| ${capacity} \\| ${refillPerMinute} \\|`));
    }
  });

  test('its commands do what it says', async () => {
    const owner = await Owner.signIn(run.web, run.people.owner ?? '');
    const minted = await owner.mint(run.guild_id, 'documents');
    const { token, secret } = minted.body as { token: { id: string }; secret: string };
    const commands = [...(await read('docs/public-api.md')).matchAll(/^```sh\n(curl [\s\S]*?)^```/gm)].map(
      ([, command = '']) => command,
    );
    const env = { ...process.env, BAILIFF: run.web, GUILD: run.guild_id, TOKEN: secret };
    const answers = await Promise.all(commands.map(async (command) => JSON.parse(await shell(command, env))));
    expect(answers).toMatchObject([
      { token: { name: 'documents' } },
      { issuer: expect.any(String), revocation_endpoint: expect.any(String) },
      { device_code: expect.any(String), interval: 5 },
      { error: 'invalid_request' },
      { error: 'invalid_request' },
      { data: expect.any(Array) },
      { data: expect.any(Array) },
      { error: { code: 'RE_AUTH_REQUIRED' } },
      { error: { code: 'NOT_FOUND' } },
      { error: { code: 'NOT_FOUND' } },
      { error: { code: 'NOT_FOUND' } },
    ]);
    // Null, or text where the list has more than one page.
    expect(answers[5]).toHaveProperty('next_cursor');
    await owner.revoke(token.id);
  });
});

async function shell(command: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return text(child.stdout);
}
