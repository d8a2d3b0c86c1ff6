'use client';

import { type ComponentType, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl/react';
import { useLive, useRefreshSoon } from '#components/live.tsx';
import { Panel } from '#components/ui/panel.tsx';
import { Cell, HeaderCell, Table } from '#components/ui/table.tsx';
import {
  type ActivityCharts,
  type ActivityKind,
  type Chart,
  OTHERS,
  withOneMore,
} from '#src/activity-charts.ts';
import { type BarsProps, ticksFor } from './bars.ts';
import { PlainBars } from './plain-bars.tsx';

/**
 * The interactive chart. Its library has a third of a megabyte, so it is loaded when the pointer first enters a chart.
 * Until then plain bars are shown.
 */
const loadChart = () => import('./bar-chart.tsx');

const COLOURS = [1, 2, 3, 4, 5, 6, 7].map((n) => `var(--chart-${n})`);
const REST_COLOUR = 'var(--line-strong)';

/** The activity per day in three charts, updated with each new action. */
export function ActivityPanels({
  guildId,
  charts: rendered,
  names,
}: {
  guildId: string;
  charts: ActivityCharts;
  /** The names of people by id, as far as they are known. */
  names: Readonly<Record<string, string>>;
}) {
  const t = useTranslations('overview');
  const auditText = useTranslations('audit');
  const refreshSoon = useRefreshSoon(guildId);
  const [counted, setCounted] = useState({ from: rendered, charts: rendered });
  const charts = counted.from === rendered ? counted.charts : rendered;
  const [met, setMet] = useState(names);
  useLive(guildId, ['audit'], (change, isLate) => {
    const { audit = [] } = change;
    const known = audit.flatMap(({ actorUserId: id, actorName: name }) => (id && name ? [[id, name]] : []));
    if (known.length > 0) setMet((before) => ({ ...before, ...Object.fromEntries(known) }));
    const grownBy = (before: ActivityCharts) => {
      let grown: ActivityCharts | null = before;
      for (const row of audit) {
        if (row.outcome === 'performed' && grown !== null) {
          grown = withOneMore(grown, { ...row, source: row.actorSource, actorId: row.actorUserId });
        }
      }
      return grown;
    };
    // On another day there is no place for it.
    if (isLate || grownBy(rendered) === null) return refreshSoon(change);
    // Another change may have come since the last commit of React.
    setCounted((before) => {
      const now = before.from === rendered ? before.charts : rendered;
      return { from: rendered, charts: grownBy(now) ?? now };
    });
  });
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      <ChartPanel
        className="xl:col-span-2"
        title={t('byKind')}
        chart={charts.byKind}
        label={(kind) => t(`kinds.${kind as ActivityKind}`)}
      />
      <ChartPanel
        title={t('byModerator')}
        chart={charts.byModerator}
        label={(id) => (id === OTHERS ? t('others') : (names[id] ?? met[id] ?? id))}
      />
      <ChartPanel
        title={t('bySource')}
        chart={charts.bySource}
        label={(source) => auditText(`sources.${source as 'chat'}`)}
      />
    </div>
  );
}

function ChartPanel({
  title,
  chart,
  label,
  className = '',
}: {
  title: string;
  chart: Chart;
  label: (key: string) => string;
  className?: string;
}) {
  const t = useTranslations('overview');
  const locale = useLocale();
  const [{ Bars }, setChart] = useState<{ Bars: ComponentType<BarsProps> }>({ Bars: PlainBars });
  const series = chart.keys.map((key, place) => ({
    key,
    label: label(key),
    colour:
      key === OTHERS || key === 'other' ? REST_COLOUR : (COLOURS[place % COLOURS.length] ?? REST_COLOUR),
  }));
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const days = chart.days.map(({ day, values }) => ({
    day,
    label: format.format(new Date(`${day}T00:00:00Z`)),
    values,
  }));
  return (
    <Panel className={className}>
      <h3 className="px-3.5 pt-3 font-medium">{title}</h3>
      {series.length === 0 ? (
        <p className="text-ink-soft px-3.5 pt-1 text-xs">{t('nothingInSpan')}</p>
      ) : (
        <ul className="text-ink-soft flex flex-wrap gap-x-3 gap-y-1 px-3.5 pt-1 text-xs">
          {series.map(({ key, label: words, colour }) => (
            <li key={key} className="flex items-center gap-1.5">
              <span aria-hidden className="size-2.5 rounded-xs" style={{ background: colour }} />
              {words}
            </li>
          ))}
        </ul>
      )}
      {/* The table below has the same numbers for people who cannot see the chart. */}
      <div
        aria-hidden
        className="h-56 px-2 pt-2"
        onPointerEnter={() =>
          loadChart().then(
            (loaded) => setChart({ Bars: loaded.default }),
            () => {}, // the plain bars stay
          )
        }
      >
        <Bars series={series} days={days} ticks={ticksFor(days)} />
      </div>
      <details className="border-line mt-2 border-t px-3.5 py-2">
        <summary className="text-ink-soft hover:text-ink w-fit cursor-pointer text-xs">
          {t('asTable')}
        </summary>
        <Table caption={`${t('activity')}: ${title}`}>
          <thead>
            <tr>
              <HeaderCell>{t('day')}</HeaderCell>
              {series.map(({ key, label: words }) => (
                <HeaderCell key={key}>{words}</HeaderCell>
              ))}
              <HeaderCell>{t('total')}</HeaderCell>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, values }) => (
              <tr key={day}>
                <Cell className="whitespace-nowrap">{day}</Cell>
                {values.map((value, place) => (
                  <Cell key={chart.keys[place]} className="tabular-nums">
                    {value}
                  </Cell>
                ))}
                <Cell className="font-medium tabular-nums">{values.reduce((a, b) => a + b, 0)}</Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </details>
    </Panel>
  );
}
