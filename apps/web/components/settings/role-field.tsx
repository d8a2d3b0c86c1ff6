'use client';

import { useTranslations } from 'use-intl/react';
import { Combobox } from '#components/ui/combobox.tsx';

/** A role as people choose it. */
export interface RoleChoice {
  readonly id: string;
  readonly name: string;
  readonly color: number;
  /** How it moderates in Discord itself, in words; null if it does not. */
  readonly holds: string | null;
  /** What to know before choosing it; null if there is nothing. */
  readonly problem: string | null;
}

/** A field that finds a role by a part of its name, and hands over the one that is chosen. */
export function RoleField({
  roles,
  label,
  onChoose,
}: {
  roles: readonly RoleChoice[];
  label: string;
  onChoose: (roleId: string) => void;
}) {
  const t = useTranslations('settings');
  return (
    <Combobox
      label={label}
      isLabelHidden
      placeholder={label}
      clear={t('searchClear')}
      options={roles.map(({ id, name, color, holds, problem }) => ({
        id,
        text: name,
        color,
        detail: holds,
        note: problem,
      }))}
      value={null}
      onChange={(id) => (id === null ? null : onChoose(id))}
      onUnknown={() => {}}
    />
  );
}
