'use client';

import { Download } from 'lucide-react';
import { useTranslations } from 'use-intl/react';
import { saveFile } from '#components/save-file.ts';
import { Button } from '#components/ui/button.tsx';
import { Failure } from '#components/ui/failure.tsx';
import { useCall } from '#components/use-call.ts';

/** A button that downloads everything the guild owns. */
export function ExportArchive({ guildId }: { guildId: string }) {
  const t = useTranslations('settings');
  const { call, busy, failure } = useCall();
  const begin = async () => {
    const begun = await call<{ href: string }>('POST', `/api/guilds/${guildId}/archive`, {});
    if (begun !== null) saveFile(begun.href);
  };
  return (
    <div className="grid justify-items-start gap-3 p-4">
      <p>{t('archive.what')}</p>
      <Button disabled={busy} onClick={() => void begin()}>
        <Download aria-hidden size={16} />
        {t('archive.download')}
      </Button>
      <Failure failure={failure} />
    </div>
  );
}
