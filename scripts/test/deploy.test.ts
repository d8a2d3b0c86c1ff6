// The samples of deploy/ say what Bailiff needs, in words that their programs know.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';

const DEPLOY = resolve(import.meta.dirname, '..', '..', 'deploy');
const read = (...path: string[]) => readFileSync(join(DEPLOY, ...path), 'utf8');
const UNITS = readdirSync(join(DEPLOY, 'systemd'));

/** The directives of systemd 252 that the units use. A word that is none is ignored by systemd, and so protects nobody. */
const KNOWN = new Set(
  `Description After Wants PartOf Type User Group WorkingDirectory Environment EnvironmentFile ExecStart ExecStartPost
   Restart RestartSec RestartPreventExitStatus KillMode TimeoutStopSec StateDirectory StateDirectoryMode UMask
   NoNewPrivileges ProtectSystem ReadWritePaths ProtectHome PrivateTmp PrivateDevices ProtectClock
   ProtectControlGroups ProtectHostname ProtectKernelLogs ProtectKernelModules ProtectKernelTunables
   CapabilityBoundingSet LockPersonality RestrictAddressFamilies RestrictNamespaces RestrictRealtime RestrictSUIDSGID
   SystemCallArchitectures WantedBy OnCalendar RandomizedDelaySec StartLimitIntervalSec StartLimitBurst Persistent`.split(
    /\s+/,
  ),
);

/** A template is looked at as one of the units that are made of it. */
const nameOf = (unit: string) => unit.replace('@.', '@3001.');

const directivesOf = (unit: string) =>
  Object.fromEntries(
    [...read('systemd', unit).matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value]) => [name, value]),
  );

test.each(UNITS)('systemd knows every directive of %s', (unit) => {
  verifies('ops.deploy.samples');
  const lines = read('systemd', unit).split('\n');
  expect(lines.filter((line) => line !== '' && !/^(#.*|\[\w+\]|\w+=.*)$/.test(line))).toEqual([]);
  expect(Object.keys(directivesOf(unit)).filter((name) => !KNOWN.has(name))).toEqual([]);
});

test('systemd finds nothing wrong with the units, where it is installed', () => {
  verifies('ops.deploy.samples');
  const folder = mkdtempSync(join(tmpdir(), 'bailiff-units-'));
  // Programs must exist on this machine; where they will be is another's.
  for (const unit of UNITS) {
    const text = read('systemd', unit).replace(/^(ExecStart=)\S+/m, `$1${process.execPath}`);
    writeFileSync(join(folder, nameOf(unit)), text);
  }
  const paths = UNITS.map((unit) => join(folder, nameOf(unit)));
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  if (error !== undefined) return expect(error).toMatchObject({ code: 'ENOENT' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the service runs as a user of its own, is stopped in good order, and is not started again after 78', () => {
  verifies('ops.deploy.samples');
  const { TimeoutStopSec, ...service } = directivesOf('bailiff.service');
  expect(service).toMatchObject({
    User: 'bailiff',
    ExecStart: '/usr/bin/node scripts/start.mjs',
    Restart: 'on-failure',
    RestartPreventExitStatus: '78',
    KillMode: 'mixed',
    NoNewPrivileges: 'yes',
    ProtectSystem: 'strict',
    WantedBy: 'multi-user.target',
  });
  // The bot may take 15 s, the sandbox 5 s and PostgreSQL 15 s.
  expect(Number(TimeoutStopSec)).toBeGreaterThan(35);
  const { TimeoutStopSec: webStop, ...web } = directivesOf('bailiff-web@.service');
  expect(web).toMatchObject({ Restart: 'on-failure', RestartPreventExitStatus: '78', KillMode: 'mixed' });
  expect(Number(webStop)).toBeGreaterThan(15);
});

test('what the services and the nightly backup write is for their user alone, and a missed night is made up for', () => {
  verifies('ops.deploy.samples');
  for (const unit of UNITS.filter((name) => name.endsWith('.service')))
    expect(directivesOf(unit), unit).toMatchObject({
      User: 'bailiff',
      StateDirectoryMode: '0700',
      UMask: '0077',
      NoNewPrivileges: 'yes',
      ProtectSystem: 'strict',
      ProtectHome: 'yes',
      PrivateTmp: 'yes',
    });
  // Two weeks of backups stay.
  const { ExecStartPost, ...backup } = directivesOf('bailiff-backup.service');
  expect(ExecStartPost).toMatch(/ \/var\/lib\/bailiff\/backups -name \*\.backup\* -mtime \+14 -delete$/);
  // It is made up for at the boot, when the database may just be starting.
  expect(backup).toMatchObject({ Restart: 'on-failure', RestartSec: '60', StartLimitBurst: '5' });
  expect(directivesOf('bailiff-backup.timer')).toMatchObject({
    OnCalendar: '*-*-* 04:30:00',
    Persistent: 'true',
  });
});

/** What the guide says of a service. */
const guide = () => {
  const [, part = ''] = readFileSync(join(DEPLOY, '..', 'docs', 'operations.md'), 'utf8').split(
    '### As a service',
  );
  return part.split('\n### ')[0] ?? '';
};

test('the guide says how the commands of an operator find the folder of the services', () => {
  verifies('ops.deploy.samples');
  const [, folder] = /BAILIFF_DIR=(\S+)/.exec(directivesOf('bailiff.service').Environment ?? '') ?? [];
  expect(guide()).toContain(`echo BAILIFF_DIR=${folder} >> /opt/bailiff/.env`);
});

test('the guide has the units of a new release copied, of which an update in the folder changes nothing', () => {
  verifies('ops.deploy.samples');
  const installed = guide().match(/^(cp deploy\/systemd\/.*|systemctl daemon-reload)$/gm);
  expect(installed).toEqual(['cp deploy/systemd/* /etc/systemd/system/', 'systemctl daemon-reload']);
  expect(guide()).toMatch(/update .*copy\s+them\s+again\s+and\s+run\s+`systemctl daemon-reload`/s);
});

test('each further web process has settings of its own, as it needs for a port of its metrics', () => {
  verifies('ops.deploy.samples');
  // All of them read the same .env. With "-" the file may be absent.
  const file = directivesOf('bailiff-web@.service').EnvironmentFile;
  expect(file).toBe('-/etc/bailiff/web-%i.env');
  const told = guide().replace(/\s+/g, ' ');
  expect(told).toContain(`\`${file?.slice(1).replace('%i', '3001')}\``);
  expect(told).toMatch(/`METRICS_WEB_PORT=\d+`/);
});

test('whoever hands secrets to the service as credentials reads that the other units need them too', () => {
  verifies('ops.deploy.samples', 'ops.secret-files');
  const [, part = ''] = readFileSync(join(DEPLOY, '..', 'docs', 'operations.md'), 'utf8').split(
    '### Secrets in files',
  );
  const [told = ''] = part.split('\n## ');
  for (const unit of UNITS.filter((name) => name.endsWith('.service')))
    expect(told).toContain(`\`${unit.replace('.service', '')}\``);
  // The owner's address would take the database's walls away from it.
  expect(told.replace(/\s+/g, ' ')).toContain('`bailiff-web@` the same for `DATABASE_WEB_URL_FILE`');
  expect(read('systemd', 'bailiff-backup.service')).toMatch(/^# .*LoadCredential=/m);
});

/** Bailiff closes a connection that nobody uses after 65 s; a proxy has to be sooner. */
const KEPT_SECONDS = 65;

test('nginx passes on what Bailiff reads, and streams without a buffer', () => {
  verifies('ops.deploy.samples');
  const text = read('nginx', 'bailiff.conf').replace(/#.*/g, '');
  expect(text.split('{').length).toBe(text.split('}').length);
  const directives = text.split(/[;{}]/).map((directive) => directive.trim().replace(/\s+/g, ' '));
  expect(directives).toEqual(
    expect.arrayContaining([
      'proxy_set_header Host $host',
      // Replaced: an appended list would begin with what the client wrote.
      'proxy_set_header X-Forwarded-For $remote_addr',
      'client_max_body_size 9m',
      'proxy_next_upstream off',
      'proxy_buffering off',
    ]),
  );
  // Longer than the 60 s for which a caller can wait.
  expect(Number(/ proxy_read_timeout (\d+)s;/.exec(text)?.[1])).toBeGreaterThan(60);
  expect(Number(/ keepalive_timeout (\d+)s;/.exec(text)?.[1])).toBeLessThan(KEPT_SECONDS);
  expect(text).toContain('return 301 https://$host$request_uri;');
  const events = /location ~ (\S+) \{([^}]*)\}/.exec(text);
  expect(new RegExp(events?.[1] ?? '').test('/api/guilds/123456789012345678/events')).toBe(true);
  expect(events?.[2]).toContain('proxy_read_timeout 1h');
  expect(text).not.toContain('includeSubDomains');
});

test.each([
  ['caddy', 'reverse_proxy 127.0.0.1:3000'],
  ['compose', 'dynamic a {'],
])(
  'the Caddy of %s does not wait with what it streams, and has no list of its own of whom to trust',
  (folder, proxy) => {
    verifies('ops.deploy.samples');
    const text = read(folder, 'Caddyfile').replace(/#.*/g, '');
    expect(text.split('{').length).toBe(text.split('}').length);
    for (const directive of [proxy, 'flush_interval -1', 'max_size 9MB']) expect(text).toContain(directive);
    expect(Number(/ ?keepalive (\d+)s/.exec(text)?.[1])).toBeLessThan(KEPT_SECONDS);
    expect(Number(/response_header_timeout (\d+)s/.exec(text)?.[1])).toBeGreaterThan(60);
    // Without trusted_proxies, Caddy drops the X-Forwarded-For of its peer.
    expect(text).not.toContain('trusted_proxies');
    expect(text).not.toContain('includeSubDomains');
  },
);
