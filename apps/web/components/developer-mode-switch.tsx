'use client';

import { useRouter } from 'next/navigation';
import { useTranslations } from 'use-intl/react';
import { savePreference } from './save-preference.ts';
import { Switch } from './ui/switch.tsx';

/** The switch for Developer Mode, which shows the pages for developers. The setting is kept in this browser. */
export function DeveloperModeSwitch({
  name,
  on,
  isOwner,
}: {
  name: string;
  on: boolean;
  /** Tokens, approvals and the check of a request are the owner's. */
  isOwner: boolean;
}) {
  const t = useTranslations('ui');
  const router = useRouter();
  return (
    <Switch
      label={t('developerMode')}
      hint={t(isOwner ? 'developerModeHint' : 'developerModeHintForModerators')}
      checked={on}
      onChange={(checked) => {
        savePreference(name, checked ? 'on' : 'off');
        router.refresh();
      }}
    />
  );
}
