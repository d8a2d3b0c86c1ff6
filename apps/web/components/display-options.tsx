'use client';

import { SlidersHorizontal } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { type ColumnList, hiddenColumns } from '#src/columns.ts';
import { savePreference } from './save-preference.ts';
import { Button } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { CheckField } from './ui/field.tsx';
import { Switch } from './ui/switch.tsx';

interface Cookies {
  readonly times: string;
  readonly columns: string;
}

/** A button for how a list is shown in this browser: its columns, and whether times are exact. */
export function DisplayOptions({
  list,
  columns,
  shown: wasShown,
  exactTimes,
  cookies,
}: {
  list: ColumnList;
  columns: readonly { readonly name: string; readonly label: string }[];
  shown: readonly string[];
  exactTimes: boolean;
  /** The cookies that keep the choices. */
  cookies: Cookies;
}) {
  const t = useTranslations('ui');
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState(wasShown);
  const [exact, setExact] = useState(exactTimes);
  const keep = (cookie: string, value: string) => {
    savePreference(cookie, value);
    router.refresh();
  };
  const show = (column: string, isShown: boolean) => {
    const next = isShown ? [...shown, column] : shown.filter((each) => each !== column);
    setShown(next);
    keep(cookies.columns, hiddenColumns(list, next));
  };
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden size={16} />
        {t('display')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen} title={t('display')} description={t('displayHint')}>
        <fieldset className="mb-4 grid gap-2">
          <legend className="mb-1 font-medium">{t('columns')}</legend>
          {columns.map(({ name, label }) => (
            <CheckField
              key={name}
              label={label}
              checked={shown.includes(name)}
              onChange={({ target }) => show(name, target.checked)}
            />
          ))}
        </fieldset>
        <Switch
          label={t('exactTimes')}
          hint={t('exactTimesHint')}
          checked={exact}
          onChange={(on) => {
            setExact(on);
            keep(cookies.times, on ? 'exact' : 'relative');
          }}
        />
      </Dialog>
    </>
  );
}
