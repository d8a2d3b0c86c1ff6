'use client';

import { Switch as Base } from '@base-ui/react/switch';

export function Switch({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the switch is the control
    <label className="inline-flex cursor-pointer items-center gap-2 font-medium">
      <Base.Root
        checked={checked}
        onCheckedChange={onChange}
        className="bg-line-strong data-checked:bg-accent-solid flex h-5 w-9 rounded-full p-0.5 transition-colors"
      >
        <Base.Thumb className="size-4 rounded-full bg-white transition-transform data-checked:translate-x-4" />
      </Base.Root>
      {label}
    </label>
  );
}
