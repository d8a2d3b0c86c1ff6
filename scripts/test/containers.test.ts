// The Dockerfile, compose.yaml and the manifests for Kubernetes. `npm run test:install` carries the Dockerfile out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join, matchesGlob, resolve } from 'node:path';
import { digestOf } from '@bailiff/core';
import { commandBlocks, verifies } from '@bailiff/core/testing';
import { SECRET_VARIABLES } from '@bailiff/engine/secret-files';
import { seedGuild } from '@bailiff/engine/testing';
import { createTestDatabase } from '@bailiff/prisma/testing';
import { Ajv } from 'ajv';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { LESS_YOUNG_MEMORY } from '../../apps/supervisor/src/node-options.ts';
import { LOCK_TIMEOUT_SECONDS } from '../../prisma/src/migration-lock.ts';
import { TRY_FOR_MS } from '../../prisma/src/when-free.ts';
import { instructionsOf } from '../install/dockerfile.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

const instructions = instructionsOf(join(ROOT, 'Dockerfile'));
const textsOf = (name: string) => instructions.filter((each) => each.name === name).map(({ text }) => text);

test('the image is Node 24 slim, runs as a plain user, and Node itself is process 1', () => {
  verifies('ops.containers');
  expect(textsOf('FROM').filter((text) => !text.startsWith('build '))).toEqual([
    'node:24-slim AS build',
    'node:24-slim',
  ]);
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
  expect(last.map(({ name }) => name)).toEqual(['FROM', 'ENV', 'WORKDIR', 'COPY', 'USER', 'EXPOSE', 'CMD']);
  expect(textsOf('USER')).toEqual(['node']);
  expect(textsOf('ENV').join(' ').split(' ')).toContain(`NODE_OPTIONS=${LESS_YOUNG_MEMORY}`);
  // A shell as process 1 would keep SIGTERM from it.
  expect(textsOf('CMD').map((text) => JSON.parse(text))).toEqual([['node', 'apps/bot/src/main.ts']]);
  expect(textsOf('RUN')).toContainEqual(
    expect.stringContaining('npm install --no-save --omit=dev --omit=optional'),
  );
});

test('production needs nothing that compiles or bundles', () => {
  verifies('ops.production-small');
  // To read a configuration in TypeScript, Next would load its compiler at each start.
  expect(readdirSync(join(ROOT, 'apps', 'web')).filter((name) => name.startsWith('next.config'))).toEqual([
    'next.config.mjs',
  ]);
  const { packages }: { packages: Record<string, { dev?: true; optional?: true; devOptional?: true }> } =
    JSON.parse(read('package-lock.json'));
  const kept = Object.entries(packages)
    .filter(
      ([path, { dev, optional, devOptional }]) =>
        path.includes('node_modules/') && !(dev || optional || devOptional),
    )
    .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  const builders =
    /^(@next\/swc|@swc\/core|@esbuild|esbuild|@tailwindcss|tailwindcss|lightningcss|typescript|vite|turbo|prisma|playwright|lucide-react|@sparticuz)/;
  expect(kept.filter((name) => builders.test(name))).toEqual([]);
});

test('what git ignores, and secrets, do not get into the image', () => {
  verifies('ops.containers');
  const ignored = read('.dockerignore')
    .split('\n')
    .map((line) => line.replace('**/', ''));
  for (const folder of ['node_modules', '.bailiff', '.next', '.env', 'secrets', '.git'])
    expect(ignored).toContain(folder);
});

test('no backup and no archive that somebody writes into the checkout gets into the image or the repository', () => {
  verifies('ops.containers');
  const shown = commandBlocks('docs/operations.md').flatMap(({ commands }) => commands.split('\n'));
  const written = shown.flatMap((line) => {
    const [, path] = / > (\S+)/.exec(line) ?? /npm run (?:archive|backup) -- (?:\d+ )?(\S+)/.exec(line) ?? [];
    return path === undefined || /^[/$]/.test(path) ? [] : [path];
  });
  expect(written).toEqual(['guild.jsonl']);
  const others = [
    'guild.jsonl.unfinished',
    'bailiff.sql',
    'bailiff.sql.new',
    'mine.backup',
    'mine.backup.new',
  ];
  for (const list of ['.dockerignore', '.gitignore']) {
    const patterns = read(list)
      .split('\n')
      .map((line) => line.replace(/^\//, ''));
    const isIgnored = (path: string) => patterns.some((pattern) => matchesGlob(path, pattern));
    expect([...written, ...others].filter((path) => !isIgnored(path))).toEqual([]);
  }
});

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly command?: string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly environment?: Record<string, string>;
  readonly secrets?: string[];
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
  readonly logging?: { readonly driver: string };
  readonly networks: string[] | Record<string, { ipv4_address: string }>;
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly deploy: { replicas?: number; resources: { limits: { memory: string; cpus: string } } };
}
interface Network {
  readonly internal?: boolean;
  readonly enable_ipv6?: boolean;
  readonly ipam?: { readonly config: readonly { readonly subnet: string; readonly ip_range?: string }[] };
}
interface Compose {
  readonly services: Readonly<Record<'postgres' | 'migrate' | 'bot' | 'web' | 'caddy', Service>>;
  readonly networks: Record<string, Network>;
  readonly secrets: Record<string, { file: string }>;
}
const compose: Compose = parse(read('compose.yaml'), { merge: true });

test('compose.yaml fits the Compose Specification', () => {
  verifies('ops.containers');
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(
    JSON.parse(read('scripts', 'test', 'schemas', 'compose-spec.json')),
  );
  validate(compose);
  expect(validate.errors).toBeNull();
  validate({ ...compose, services: { bot: { comand: ['node'] } } });
  expect(validate.errors).toMatchObject([{ params: { additionalProperty: 'comand' } }]);
});

test.each(Object.entries(compose.services))(
  'the service %s is bounded, and can write and do no more than it must',
  (_, service) => {
    verifies('ops.containers');
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      // Docker's default keeps each line for ever, beside the database.
      logging: { driver: 'local' },
    });
    expect(service.deploy.resources.limits).toEqual({
      cpus: expect.any(String),
      memory: expect.stringMatching(/^\d+[mg]$/),
    });
  },
);

test('nothing is killed while it ends in good order: calls take ten seconds, and PostgreSQL writes first', () => {
  verifies('ops.containers');
  const { postgres, migrate, bot, web } = compose.services;
  const graces = [migrate, bot, web, postgres].map(({ stop_grace_period }) => stop_grace_period);
  expect(graces).toEqual(['30s', '30s', '30s', '60s']);
});

test('the logins of the database are made whole or not at all', () => {
  verifies('ops.containers');
  const script = read('deploy', 'compose', 'make-logins.sh');
  expect(script).toMatch(/^set -eu$/m);
  expect(script).toContain('--set ON_ERROR_STOP=1');
});

/** The secrets that a service gets, by the variables that name their files. */
function secretsOf({ environment = {}, secrets = [] }: Service): Record<string, string> {
  const files = Object.entries(environment).filter(([name]) => name.endsWith('_FILE'));
  const named = files.map(
    ([name, path]) => [name.replace(/_FILE$/, ''), path.replace('/run/secrets/', '')] as const,
  );
  expect(named.map(([, file]) => file).sort()).toEqual([...secrets].sort());
  for (const file of secrets) expect(compose.secrets[file]).toEqual({ file: `./secrets/${file}` });
  return Object.fromEntries(named);
}

test('each process gets its own login and no other secret, and the database is reached from inside alone', () => {
  verifies('ops.containers');
  const { postgres, migrate, bot, web, caddy } = compose.services;
  expect(secretsOf(bot)).toEqual({
    DATABASE_URL: 'database_bot_url',
    DISCORD_TOKEN: 'discord_token',
    SECRETS_KEY: 'secrets_key',
  });
  expect(secretsOf(web)).toEqual({
    DATABASE_URL: 'database_web_url',
    DISCORD_CLIENT_SECRET: 'discord_client_secret',
    NEXTAUTH_SECRET: 'nextauth_secret',
  });
  const owners = secretsOf(migrate);
  expect(Object.keys(owners)).toEqual(['DATABASE_URL', 'DATABASE_BOT_URL', 'DATABASE_WEB_URL']);
  for (const secrets of [bot, web, migrate].map(secretsOf)) {
    for (const name of Object.keys(secrets)) expect(SECRET_VARIABLES).toContain(name);
  }
  expect(caddy.secrets).toBeUndefined();
  expect(postgres.image).toBe('postgres:18');
  expect(postgres.networks).toEqual(['inside']);
  expect(compose.networks.inside).toEqual({ internal: true });
  expect(Object.values(compose.services).flatMap(({ ports = [] }) => ports)).toEqual(caddy.ports);
});

test('the guide names every secret that can be in a file', () => {
  verifies('ops.containers');
  const [, part = ''] = read('docs', 'operations.md').split('### Secrets in files');
  const [, named = ''] = /^This works for ([^.]+)\./m.exec(part) ?? [];
  expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(
    [...SECRET_VARIABLES].sort(),
  );
});

test('there are two web processes behind Caddy, whose address alone is trusted', () => {
  verifies('ops.containers');
  const { bot, web, caddy } = compose.services;
  expect(web.deploy.replicas).toBe(2);
  const address = Array.isArray(caddy.networks) ? '' : (caddy.networks.outside?.ipv4_address ?? '');
  expect(web.environment?.TRUSTED_PROXIES).toBe(address);
  const { config = [] } = compose.networks.outside?.ipam ?? {};
  const [whole, others] = [config[0]?.subnet ?? '', config[0]?.ip_range ?? ''].map((range) => {
    const [first = '', bits] = range.split('/');
    const list = new BlockList();
    list.addSubnet(first, Number(bits), 'ipv4');
    return list;
  });
  expect(whole?.check(address)).toBe(true);
  // Caddy starts last, and the engine gives the first free address to who starts first.
  expect(others?.check(address)).toBe(false);
  for (const service of [bot, web]) expect(service.healthcheck).toBeDefined();
  const caddyfile = read('deploy', 'compose', 'Caddyfile').replace(/#.*/g, '');
  expect(caddyfile.split('{').length).toBe(caddyfile.split('}').length);
  for (const directive of ['{$DOMAIN} {', 'name web', 'port 3000', 'flush_interval -1'])
    expect(caddyfile).toContain(directive);
  expect(caddyfile).not.toContain('trusted_proxies');
  // The processes listen on IPv4 alone, and each has an address of either kind in a network with both.
  expect(textsOf('ENV').join(' ')).toContain('HOST=0.0.0.0');
  expect(compose.networks.outside?.enable_ipv6).toBe(true);
  expect(caddyfile.replace(/\s+/g, ' ')).toMatch(/dynamic a {[^}]* versions ipv4 /);
});

test('who comes over IPv6 has an address of their own, because the network of a port that is open to them has it too', () => {
  verifies('ops.containers');
  expect(compose.services.caddy.ports).toEqual(['80:80', '443:443', '443:443/udp']);
  const { enable_ipv6, ipam } = compose.networks.outside ?? {};
  expect(enable_ipv6).toBe(true);
  // A range that is private for good (RFC 4193).
  expect(ipam?.config.map(({ subnet }) => subnet)).toContainEqual(
    expect.stringMatching(/^fd[0-9a-f:]+::\/64$/),
  );
});

test('every line of the guide for containers finds the variables that compose.yaml asks for', () => {
  verifies('ops.containers');
  const [, part = ''] = read('docs', 'operations.md').split('### Containers');
  const [shown = ''] = part.split('\n### ');
  const lines = shown.split('\n').filter((line) => /^(docker compose|export|\(umask) /.test(line));
  expect(read('compose.yaml')).toMatch(/\$\{\w+:\?\}/);
  expect(lines[0]).toMatch(/^export COMPOSE_ENV_FILES=deploy\/compose\/\.env /);
  expect(lines.length).toBeGreaterThan(3);
  // A backup that fails leaves the one before. What it is in is nobody else's to read, and the umask is that of no later
  // line: the image is built with the rights of the files in the checkout.
  expect(lines.find((line) => line.includes('pg_dump'))).toMatch(
    /^\(umask 077; docker compose .* > \$to\.new && mv \$to\.new \$to\)$/,
  );
});

test('an update reaches the services that read a file of the checkout, of which compose does not see that it changed', () => {
  verifies('ops.containers');
  const readers = Object.entries(compose.services).filter(([, { volumes = [] }]) =>
    // What fills an empty volume is of no use to one that is full.
    volumes.some((volume) => volume.startsWith('./') && !volume.includes(':/docker-entrypoint-initdb.d/')),
  );
  expect(readers.map(([name]) => name)).toEqual(['caddy']);
  const [, guide = ''] = read('docs', 'operations.md').split('### Containers');
  const [, update = ''] = guide.split('\nTo update, ');
  const [, block = ''] = /```sh\n([^`]+)```/.exec(update) ?? [];
  const lines = block.split('\n').map((line) => line.replace(/\s+#.*/, ''));
  expect(lines.filter((line) => line.startsWith('docker compose up '))).toEqual([
    'docker compose up -d --build',
    ...readers.map(([name]) => `docker compose up -d --no-deps --force-recreate ${name}`),
  ]);
});

test('a mass ban that ran during a backup does not go on after the restore of the guide for containers', async () => {
  verifies('ops.containers');
  const block = commandBlocks('docs/operations.md').find(({ commands }) =>
    commands.includes('DROP DATABASE'),
  );
  const lines = block?.commands.split('\n') ?? [];
  const isLoaded = lines.findIndex((line) => line.includes('< /var/backups/bailiff.sql'));
  const starts = lines.findIndex((line) => /^docker compose up -d( |$)(?!.*postgres)/.test(line));
  // What the lines afterwards call is there also when the backup is of an earlier release.
  expect(lines[isLoaded + 1]).toMatch(/^docker compose run --rm migrate( |$)/);
  expect(starts).toBeGreaterThan(isLoaded);
  const { database, drop } = await createTestDatabase();
  onTestFinished(drop);
  const guild = await seedGuild(database);
  const input = { preview_id: `act_${'0'.repeat(32)}`, count: 2, reason: 'raid' };
  await database.pool.query(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
       claimed_at, worker, work)
     VALUES ($1, 'bans.many', $2, $3, 'running', 'chat', $4, 'req_many', now(), now(), 'gone', '{}')`,
    [guild.id, input, digestOf('bans.many', guild.id, input), guild.ownerId],
  );
  for (const line of lines.slice(isLoaded + 1, starts)) {
    const [, sql] = /psql -U postgres -c '(.+)' bailiff$/.exec(line) ?? [];
    if (sql !== undefined) await database.pool.query(sql);
  }
  expect((await database.pool.query('SELECT state FROM actions')).rows).toEqual([{ state: 'unknown' }]);
});

test('make-secrets.sh makes what compose.yaml names, for this user alone, and keeps what is there', () => {
  verifies('ops.containers');
  const folder = mkdtempSync(join(tmpdir(), 'bailiff-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const run = () => {
    const made = spawnSync('sh', [join(ROOT, 'deploy', 'compose', 'make-secrets.sh')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const names = readdirSync(join(folder, 'secrets')).sort();
    return Object.fromEntries(
      names.map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]),
    );
  };
  const first = run();
  expect(Object.keys(first)).toEqual(Object.keys(compose.secrets).sort());
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  // The two that only Discord gives are empty.
  const given = Object.values(first).filter((secret) => secret !== '');
  expect([given.length, new Set(given).size]).toEqual([6, 6]);
  const logins = ['database_url', 'database_bot_url', 'database_web_url'].map(
    (name) => new URL(first[name] ?? ''),
  );
  const script = read('deploy', 'compose', 'make-logins.sh');
  for (const { username, password } of logins) {
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(script).toContain(`CREATE ROLE ${username} LOGIN PASSWORD`);
  }
  expect(script).toContain(`CREATE DATABASE bailiff OWNER ${logins[0]?.username};`);
  expect(run()).toEqual(first);
});

const FOLDER = join(ROOT, 'deploy', 'kubernetes');
const files = readdirSync(FOLDER);
// biome-ignore lint/suspicious/noExplicitAny: what is checked of a manifest is checked here
const manifests: any[] = files
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) =>
    parseAllDocuments(read('deploy', 'kubernetes', file)).map((document) => document.toJS()),
  );
const pods = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));

test('kustomize has every manifest, and gives the image its name', () => {
  verifies('ops.kubernetes');
  const kustomization = parse(read('deploy', 'kubernetes', 'kustomization.yaml'));
  expect([...kustomization.resources, 'kustomization.yaml'].sort()).toEqual(files.sort());
  const { version } = JSON.parse(read('package.json'));
  expect(kustomization.images).toMatchObject([{ name: 'bailiff', newTag: version }]);
  expect(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).sort()).toEqual([
    'apps/v1 Deployment',
    'apps/v1 Deployment',
    'batch/v1 Job',
    'policy/v1 PodDisruptionBudget',
    'v1 Service',
  ]);
});

test.each(pods.map((pod) => [pod.metadata.name, pod]))(
  '%s is a plain user with probes, bounds and its own secrets',
  (name, { spec }) => {
    verifies('ops.kubernetes');
    const { securityContext, containers, volumes, automountServiceAccountToken } = spec.template.spec;
    // A call is answered within ten seconds.
    expect(spec.template.spec.terminationGracePeriodSeconds).toBe(30);
    expect(automountServiceAccountToken).toBe(false);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(containers).toHaveLength(1);
    const [container] = containers;
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
    const component = name.replace('bailiff-', '');
    const service = compose.services[component as 'bot'];
    expect(container.command).toEqual(service.command);
    const named = container.env.map((each: { name: string; value: string }) => [
      each.name.replace('_FILE', ''),
      each.value.replace('/run/secrets/', ''),
    ]);
    expect(Object.fromEntries(named)).toEqual(secretsOf(service));
    const [{ secret }] = volumes.filter((each: { name: string }) => each.name === 'secrets');
    const secretFiles = named.map(([, file]: [string, string]) => file);
    expect(secret.items).toEqual(secretFiles.map((file: string) => ({ key: file, path: file })));
    const mounted = container.volumeMounts.find((each: { name: string }) => each.name === 'secrets');
    expect(mounted).toEqual({ name: 'secrets', mountPath: '/run/secrets', readOnly: true });
    if (component === 'migrate') return;
    const probes = {
      startupProbe: {},
      livenessProbe: {},
      ...(component === 'web' ? { readinessProbe: {} } : {}),
    };
    expect(container).toMatchObject(probes);
    // Where each process says that it lives: the web process's own page, and the bot's metrics.
    const alive =
      component === 'web' ? { path: '/healthz', port: 'http' } : { path: '/metrics', port: 'metrics' };
    for (const probe of Object.keys(probes)) expect(container[probe].httpGet).toEqual(alive);
    const ports = container.ports.map((each: { name: string; containerPort: number }) => [
      each.name,
      each.containerPort,
    ]);
    expect(ports).toEqual([...(component === 'web' ? [['http', 3000]] : []), ['metrics', 9464]]);
  },
);

test('every setting in compose.yaml, the kustomization and the image is one that Bailiff reads', () => {
  verifies('ops.containers', 'ops.kubernetes');
  const kustomization = parse(read('deploy', 'kubernetes', 'kustomization.yaml'));
  const literals: string[] = kustomization.configMapGenerator[0].literals;
  const given = [
    ...(['migrate', 'bot', 'web'] as const).flatMap((name) =>
      Object.keys(compose.services[name].environment ?? {}),
    ),
    ...literals.map((literal) => literal.split('=')[0] ?? ''),
    ...textsOf('ENV').flatMap((text) => text.split(' ').map((pair) => pair.split('=')[0] ?? '')),
  ].filter((name) => name !== 'NODE_ENV' && name !== 'NODE_OPTIONS');
  const known = new Set(
    [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].flatMap(([, name = '']) =>
      SECRET_VARIABLES.some((secret) => secret === name) ? [name, `${name}_FILE`] : [name],
    ),
  );
  expect(given.filter((name) => !known.has(name))).toEqual([]);
  expect(literals).toContain('METRICS_PORT=9464');
  // Whoever is in a network that is trusted writes their own address. Nobody knows here where the ingress is.
  expect(literals).toContain('TRUSTED_PROXIES=');
});

test('the job has time for a migration that waits for another one and then for a backup', () => {
  verifies('ops.kubernetes');
  const job = manifests.find(({ kind }) => kind === 'Job');
  const longestScript = 5 * 60;
  expect(job.spec.activeDeadlineSeconds).toBeGreaterThan(
    LOCK_TIMEOUT_SECONDS + TRY_FOR_MS / 1000 + longestScript,
  );
});

test('labels, services and the disruption budget fit together', () => {
  verifies('ops.kubernetes');
  for (const { kind, spec } of pods) {
    if (kind === 'Deployment') expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  }
  const of = (kind: string, name: string) =>
    manifests.find((each) => each.kind === kind && each.metadata.name === name);
  const web = of('Deployment', 'bailiff-web');
  expect(web.spec).toMatchObject({ replicas: 2, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
  expect(of('Service', 'bailiff-web').spec).toEqual({
    selector: web.spec.selector.matchLabels,
    ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  });
  expect(of('PodDisruptionBudget', 'bailiff-web').spec).toEqual({
    minAvailable: 1,
    selector: web.spec.selector,
  });
  // A new bot that waits for the migration, or refuses its settings, leaves the one before in its place.
  const bot = of('Deployment', 'bailiff-bot').spec;
  expect(bot).toMatchObject({ replicas: 1, strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
  expect(bot.minReadySeconds).toBeGreaterThan(0);
});
