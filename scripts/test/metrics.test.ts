// The alert rules and the dashboard ask for metrics that exist, and each alert says where to read what to do.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ERRORS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { documentedMetrics } from '@bailiff/core/testing-metrics';
import prometheus from 'prom-client';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
const alerts: Alert[] = parse(read('deploy', 'prometheus', 'alerts.yml')).groups[0].rules;
const panels: { title: string; targets: { expr: string; legendFormat: string }[] }[] = JSON.parse(
  read('deploy', 'grafana', 'bailiff.json'),
).panels;

/** What PromQL itself brings. */
const WORDS = new Set('absent and by clamp_min histogram_quantile increase max or rate sum topk'.split(' '));
/** Labels that Prometheus adds to what it reads. */
const ADDED = ['instance', 'job'];
/** The tasks of the bot's jobs. */
const TASKS = [...read('apps', 'bot', 'src', 'jobs.ts').matchAll(/^ {2}(\w+): (?:\{ .+ \}|object);$/gm)].map(
  ([, task = '']) => task,
);
const CODES = [...Object.keys(ERRORS), 'ok', 'refused', 'failed'];

const known = new Map(documentedMetrics().map(({ name, labels }) => [name, labels]));
prometheus.collectDefaultMetrics();
for (const { name } of await prometheus.register.getMetricsAsJSON()) known.set(name, new Map());
prometheus.register.clear();

/** What an expression asks for and no process serves: metrics, labels and values of labels. */
function unknownIn(expr: string): string[] {
  const plain = expr.replace(/\[[^\]]*\]/g, '');
  const selected = [...plain.matchAll(/([a-z_]\w*)(?:\{([^}]*)\})?/g)]
    .map(([, word = '', matchers = '']) => ({ word, matchers }))
    .filter(({ word }) => /^(bailiff|nodejs|process)_/.test(word));
  const names = selected.map(({ word }) => word.replace(/_bucket$/, ''));
  const all = new Set([...names.flatMap((name) => [...(known.get(name)?.keys() ?? [])]), ...ADDED]);
  const grouped = [...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
  const rest = plain.replace(/\bby \([^)]*\)|\{[^}]*\}|\b\d[\w.]*/g, '').match(/[a-z_]\w*/g) ?? [];
  return [
    ...rest.filter((word) => !WORDS.has(word) && !known.has(word.replace(/_bucket$/, ''))),
    ...grouped.filter((label) => !all.has(label)),
    ...selected.flatMap(({ word, matchers }) => wrongMatchers(word.replace(/_bucket$/, ''), matchers)),
  ];
}

function wrongMatchers(name: string, matchers: string): string[] {
  return [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)].flatMap(([, label = '', text = '']) => {
    const values = { code: CODES, task: TASKS }[label] ?? known.get(name)?.get(label);
    if (values === undefined) return [`${name}{${label}}`];
    return values.length === 0
      ? []
      : text
          .split('|')
          .filter((value) => !values.includes(value))
          .map((value) => `${name}{${label}="${value}"}`);
  });
}

test('what would be found: an unknown metric, label, value and function', () => {
  verifies('ops.metrics.alerts');
  expect(unknownIn('max(bailiff_nothing) > 1')).toEqual(['bailiff_nothing']);
  expect(unknownIn('max by (guild) (bailiff_guilds{state="gone"})')).toEqual([
    'guild',
    'bailiff_guilds{state="gone"}',
  ]);
  expect(unknownIn('sum(rate(bailiff_requests_total{status="500", code="OOPS"}[5m]))')).toEqual([
    'bailiff_requests_total{status}',
    'bailiff_requests_total{code="OOPS"}',
  ]);
  expect(unknownIn('median(bailiff_state_read)')).toEqual(['median']);
  expect(unknownIn('bailiff_jobs{task!="learn_name"}')).toEqual(['bailiff_jobs{task="learn_name"}']);
});

test.each(alerts.map((alert) => [alert.alert, alert] as const))(
  '%s asks for what exists, and has its section in the guide for operators',
  (name, { expr, labels, annotations }) => {
    verifies('ops.metrics.alerts');
    expect(unknownIn(expr)).toEqual([]);
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\w/);
    expect(annotations.runbook).toBe(`docs/operations.md#${name.toLowerCase()}`);
    expect(read('docs', 'operations.md')).toContain(`\n#### ${name}\n`);
  },
);

/** What is too much, and for how long it must last: a comparison the other way round would never tell of anything. */
const FIRES: Readonly<Record<string, readonly [beyond: RegExp, lasting: string]>> = {
  BailiffDown: [/^absent\(.*"bot".*\) or absent\(.*"web".*\)$/, '2m'],
  BailiffDatabaseSilent: [/ == 0$/, '2m'],
  BailiffShardsMissing: [/"connected".* < clamp_min\(.*_wanted\), 1\)$/, '5m'],
  BailiffShardsUnheld: [/ > 0$/, '2m'],
  BailiffGuildsNotServed: [/ > 0$/, '15m'],
  BailiffErrors: [/ > 0$/, '5m'],
  BailiffUnavailable: [/ > 0\.05 and sum\(increase\(.*"UPSTREAM_UNAVAILABLE"}\[5m\]\)\) > 4$/, '5m'],
  BailiffSlow: [/^histogram_quantile\(0\.99, .* > 5$/, '5m'],
  BailiffActionsWait: [/ > 30$/, '2m'],
  BailiffOutcomesUnknown: [/ > 0$/, '1h'],
  BailiffJobsWait: [/ > 300$/, '5m'],
  BailiffJobsFailed: [/ > 0$/, '5m'],
  BailiffConnectionsUsedUp: [/ > 0$/, '5m'],
  BailiffEventLoopBlocked: [/ > 0\.5$/, '5m'],
  BailiffMemoryHigh: [/ > 1e9$/, '15m'],
  BailiffDiscordFails: [/ > 0\.2$/, '10m'],
  BailiffMessagesNotSent: [/ > 0\.5$/, '30m'],
  BailiffBudgetsUsedUp: [/ > 1$/, '15m'],
};

test.each(alerts.map((alert) => [alert.alert, alert] as const))(
  '%s fires beyond what its section in the guide says, and no sooner',
  (name, { expr, for: lasting }) => {
    verifies('ops.metrics.alerts');
    const [beyond = /^$/, forSo] = FIRES[name] ?? [];
    expect(expr).toMatch(beyond);
    expect(lasting).toBe(forSo);
  },
);

test('an alert about a part of the requests counts that part and all of them on the same surfaces', () => {
  verifies('ops.metrics.alerts');
  const shares = alerts
    .map(({ expr }) => expr)
    .filter((expr) => /bailiff_requests_total.*\/.*bailiff_requests_total/s.test(expr));
  expect(shares.length).toBeGreaterThan(0);
  for (const expr of shares) {
    const surfaces = [...expr.matchAll(/bailiff_requests_total\{([^}]*)\}/g)].map(
      ([, labels = '']) => /\bapi[^,]*/.exec(labels)?.[0],
    );
    expect(new Set(surfaces).size, expr).toBe(1);
  }
});

test('the guide describes no alert that does not exist', () => {
  verifies('ops.metrics.alerts');
  const described = [...read('docs', 'operations.md').matchAll(/^#### (Bailiff\w+)$/gm)].map(
    ([, name]) => name,
  );
  expect(described.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});

test.each(panels.map((panel) => [panel.title, panel] as const))(
  'the panel “%s” asks for what exists',
  (_, panel) => {
    verifies('ops.metrics.alerts');
    for (const { expr, legendFormat } of panel.targets) {
      expect(unknownIn(expr)).toEqual([]);
      const by = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      expect(by).toEqual(expect.arrayContaining(shown));
    }
  },
);
