'use client';

import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Combobox } from '#components/ui/combobox.tsx';
import type { ComboboxOption } from '#components/ui/combobox-options.ts';
import { Link } from '#components/ui/link.tsx';
import { TABS, tabClass } from '#components/ui/tab-classes.ts';
import { anchorIn } from '#src/settings-sections.ts';

interface Props {
  readonly label: string;
  readonly sections: readonly { readonly href: string; readonly text: string }[];
  /** What the search finds; the id of an option is the address of its field. */
  readonly settings: readonly ComboboxOption[];
  /** Addresses by the anchors of the former page, which had everything. */
  readonly former: Readonly<Record<string, string>>;
}

/** The sections of the settings, and a search that leads to a field in any of them. */
export function SettingsNav({ label, sections, settings, former }: Props) {
  const t = useTranslations('settings');
  const here = usePathname();
  const router = useRouter();
  const links = useRef<HTMLUListElement>(null);
  /** The field that the search found, until its page is there. */
  const [wanted, setWanted] = useState<{ readonly path: string; readonly anchor: string } | null>(null);

  const arriveByAddress = useEffectEvent(() => {
    const { anchor, page } = anchorIn(location.hash, former);
    if (page !== null && page !== here) router.replace(`${page}#${anchor}`);
    else if (wanted === null) show(anchor);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has arrived
  useEffect(() => arriveByAddress(), [here]);
  useEffect(() => {
    if (wanted?.path !== here) return;
    show(wanted.anchor);
    setWanted(null);
  }, [here, wanted]);

  const go = (address: string | null) => {
    if (address === null) return;
    const [path = '', anchor = ''] = address.split('#');
    setWanted({ path, anchor });
    if (path === here) return;
    // As a click on the section's link, so that unsaved changes are asked about.
    links.current?.querySelector<HTMLAnchorElement>(`a[href="${path}"]`)?.click();
  };
  return (
    <div className="border-line mb-5 flex flex-col justify-between gap-x-6 gap-y-2 border-b max-sm:pb-3 sm:flex-row sm:flex-wrap sm:items-end">
      <nav aria-label={label}>
        <ul ref={links} className={TABS}>
          {sections.map(({ href, text }) => (
            <li key={href}>
              <Link
                href={href}
                aria-current={href === here ? 'page' : undefined}
                className={tabClass(href === here)}
              >
                {text}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="w-full sm:w-64 sm:pb-2">
        <Combobox
          key={here}
          label={t('search')}
          isLabelHidden
          placeholder={t('search')}
          clear={t('searchClear')}
          options={settings}
          value={null}
          onChange={go}
          onUnknown={() => {}}
        />
      </div>
    </div>
  );
}

/** Scrolls to an element and puts the cursor into its first field. */
function show(id: string): void {
  const place = id === '' ? null : document.getElementById(id);
  place?.scrollIntoView({ block: 'center' });
  place?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
}
