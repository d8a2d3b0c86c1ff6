'use client';

import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { useApi } from '#components/use-call.ts';
import { useLook } from '#components/use-look.ts';
import { useHeldRefreshes, useRefresh } from '#components/use-refresh.ts';
import type { Fate } from '#src/import-file.ts';

interface Result {
  readonly isDry: boolean;
  readonly counts: Record<'come' | 'known' | 'refused', number>;
}

/** Buttons that look through the guild's bans at Discord, page by page, and bring those that Bailiff does not know. */
export function BanListForm({ guildId }: { guildId: string }) {
  const t = useTranslations('settings');
  const ui = useTranslations('ui');
  const api = useApi();
  const look = useLook(guildId);
  const refresh = useRefresh();
  const [progress, setProgress] = useState<number | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const [failure, setFailure] = useState<CallFailure | null>(null);

  const readAll = async (dry: boolean): Promise<Result | CallFailure> => {
    const { countFates } = await import('#src/import-file.ts');
    const file = { source: 'discord', file_name: 'Discord', file_size: 0 };
    const begun = await api<{ import_id: string }>('POST', `/api/guilds/${guildId}/imports`, file);
    if (begun instanceof CallFailure) return begun;
    const path = `/api/guilds/${guildId}/imports/${begun.import_id}`;
    const counts = { come: 0, known: 0, refused: 0 };
    for (let after: string | null = '0'; after !== null; ) {
      const page: { fates: Fate[]; next: string | null } | CallFailure = await api('POST', `${path}/bans`, {
        after,
        dry,
      });
      if (page instanceof CallFailure) return page;
      const { come, known, refused } = countFates(page.fates);
      counts.come += come;
      counts.known += known;
      counts.refused += refused;
      setProgress(counts.come + counts.known + counts.refused);
      after = page.next;
    }
    if (dry) return { isDry: true, counts };
    const finished = await api('POST', `${path}/finish`, {});
    return finished instanceof CallFailure ? finished : { isDry: false, counts };
  };
  const run = async (isDry: boolean) => {
    setResult(null);
    setFailure(null);
    setProgress(0);
    const read = await readAll(isDry).catch(() => new CallFailure(ui('pageFailed')));
    if (read instanceof CallFailure) setFailure(read);
    else setResult(read);
    // Held refreshes go on after it, and have to know whether Bailiff still answers.
    const state = await look();
    setProgress(null);
    if (!isDry && state !== null) refresh();
  };
  const said = ({ isDry, counts }: Result) =>
    isDry && counts.come + counts.refused === 0
      ? t('bans.none')
      : t(isDry ? 'imports.would' : 'imports.did', counts);
  const isBusy = progress !== null;
  useHeldRefreshes(isBusy);
  return (
    <div className="grid gap-4 p-4">
      <p>{t('bans.who')}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button disabled={isBusy} onClick={() => void run(true)}>
          {t('bans.check')}
        </Button>
        {result?.isDry && result.counts.come > 0 ? (
          <Button variant="primary" disabled={isBusy} onClick={() => void run(false)}>
            {t('bans.bring', { count: result.counts.come })}
          </Button>
        ) : null}
      </div>
      <div role="status">
        {progress === null ? null : t('bans.progress', { count: progress })}
        {result === null ? null : <p>{said(result)}</p>}
      </div>
      <Failure failure={failure} />
    </div>
  );
}
