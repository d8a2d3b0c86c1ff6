'use client';

import { Tabs as Base } from '@base-ui/react/tabs';
import { clsx } from 'clsx';
import { TAB_BAR, TABS, tabClass } from './tab-classes.ts';
import type { TabsProps } from './tabs-panel.tsx';

/** The loaded `Tabs`. */
export function TabsBase({ label, items }: TabsProps) {
  return (
    <Base.Root defaultValue={items[0]?.value}>
      <Base.List aria-label={label} className={clsx(TAB_BAR, TABS)}>
        {items.map((item) => (
          <Base.Tab key={item.value} value={item.value} className={(state) => tabClass(state.active)}>
            {item.label}
          </Base.Tab>
        ))}
      </Base.List>
      {items.map((item) => (
        <Base.Panel key={item.value} value={item.value}>
          {item.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
