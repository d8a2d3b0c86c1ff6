'use client';

import type { PresetKind } from '@bailiff/core';
import type { PresetWire } from '@bailiff/engine/cases/presets';
import { useTranslations } from 'use-intl/react';
import { SelectField } from '#components/ui/field.tsx';

/** The choice of one of the guild's preset reasons, in every dialog that asks for a reason. Nothing if none fits. */
export function PresetField({
  presets,
  kind,
  onPick,
}: {
  presets: readonly PresetWire[];
  kind: PresetKind | null;
  onPick: (preset: PresetWire) => void;
}) {
  const t = useTranslations('cases');
  const fitting = presets.filter((preset) => preset.kind === kind);
  if (fitting.length === 0) return null;
  return (
    <SelectField
      label={t('preset')}
      defaultValue=""
      onChange={({ target }) => {
        const picked = fitting.find(({ id }) => id === target.value);
        if (picked !== undefined) onPick(picked);
      }}
    >
      <option value="">{t('noPreset')}</option>
      {fitting.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
