'use client';

import { Bar, CartesianGrid, BarChart as Chart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { BarsProps } from './bars.ts';

const TEXT = { fill: 'var(--ink-soft)', fontSize: 12 };

/** The interactive bar chart, which shows the numbers of the day under the pointer. */
export default function BarChart({ series, days, ticks }: BarsProps) {
  return (
    <ResponsiveContainer width="100%" height="100%">
      <Chart data={[...days]} accessibilityLayer={false} margin={{ top: 4, right: 8, bottom: 0, left: 0 }}>
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis dataKey="label" height={28} tick={TEXT} tickLine={false} axisLine={false} minTickGap={24} />
        <YAxis
          ticks={[...ticks]}
          domain={[0, ticks.at(-1) ?? 1]}
          width={40}
          tick={TEXT}
          tickLine={false}
          axisLine={false}
        />
        <Tooltip
          isAnimationActive={false}
          cursor={{ fill: 'var(--raised)' }}
          contentStyle={{ background: 'var(--surface)', border: '1px solid var(--line)', borderRadius: 6 }}
          labelStyle={{ color: 'var(--ink)' }}
          itemStyle={{ color: 'var(--ink)', padding: 0 }}
        />
        {series.map(({ key, label, colour }, place) => (
          <Bar
            key={key}
            stackId="all"
            name={label}
            dataKey={(day: BarsProps['days'][number]) => day.values[place] ?? 0}
            fill={colour}
            maxBarSize={28}
            isAnimationActive={false}
          />
        ))}
      </Chart>
    </ResponsiveContainer>
  );
}
