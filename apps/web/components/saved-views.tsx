'use client';

import { Bookmark, X } from 'lucide-react';
import { usePathname, useSearchParams } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link } from '#components/ui/link.tsx';
import {
  filtersIn,
  MOST_NAME_CHARACTERS,
  MOST_VIEWS,
  readViews,
  type SavedView,
  withView,
} from '#src/saved-views.ts';
import { Button } from './ui/button.tsx';
import { Dialog } from './ui/dialog.tsx';
import { TextField } from './ui/field.tsx';

/** A button for the filters that a person has given names. They are kept in this browser (decisions: Dashboard). */
export function SavedViews({ userId }: { userId: string }) {
  const t = useTranslations('ui');
  const path = usePathname();
  const query = filtersIn(useSearchParams());
  const key = `bailiff.views.${userId}${path}`;
  const [views, setViews] = useState<readonly SavedView[] | null>(null);
  const keep = (next: readonly SavedView[]) => {
    localStorage.setItem(key, JSON.stringify(next));
    setViews(next);
  };
  const close = () => setViews(null);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setViews(readViews(localStorage.getItem(key)))}>
        <Bookmark aria-hidden size={16} />
        {t('views')}
      </Button>
      <Dialog open={views !== null} onOpenChange={close} title={t('views')} description={t('viewsHint')}>
        {views === null ? null : (
          <>
            <ul className="mb-4 grid gap-1">
              {views.map((view) => (
                <li key={view.name} className="flex items-center gap-2">
                  <Link
                    href={`${path}?${view.query}`}
                    onClick={close}
                    className="text-accent hover:bg-raised min-h-9 min-w-0 flex-1 truncate rounded-md px-2 py-1.5"
                  >
                    {view.name}
                  </Link>
                  <Button
                    variant="quiet"
                    size="icon"
                    aria-label={t('removeView', { name: view.name })}
                    onClick={() => keep(views.filter(({ name }) => name !== view.name))}
                  >
                    <X aria-hidden size={16} />
                  </Button>
                </li>
              ))}
            </ul>
            {query === '' ? (
              <p className="text-ink-soft">{t('noFilters')}</p>
            ) : (
              <SaveView views={views} query={query} onSave={keep} />
            )}
          </>
        )}
      </Dialog>
    </>
  );
}

function SaveView({
  views,
  query,
  onSave,
}: {
  views: readonly SavedView[];
  query: string;
  onSave: (views: readonly SavedView[]) => void;
}) {
  const t = useTranslations('ui');
  const [name, setName] = useState('');
  const [isFull, setIsFull] = useState(false);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const next = withView(views, { name: name.trim(), query });
    setIsFull(next === null);
    if (next === null) return;
    onSave(next);
    setName('');
  };
  return (
    <form onSubmit={save} className="flex items-start gap-2">
      <div className="flex-1">
        <TextField
          label={t('viewName')}
          value={name}
          maxLength={MOST_NAME_CHARACTERS}
          required
          error={isFull ? t('viewsFull', { most: MOST_VIEWS }) : undefined}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <Button type="submit" variant="primary" className="mt-6">
        {t('saveView')}
      </Button>
    </form>
  );
}
