import { clsx } from 'clsx';

/** An on/off switch. It is a native checkbox, so it works without script. */
export function Switch({
  label,
  hint,
  checked,
  disabled = false,
  onChange,
}: {
  label: string;
  hint?: string;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <>
      <label className="inline-flex cursor-pointer items-center gap-2 font-medium">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox says by itself whether it is checked
          role="switch"
          checked={checked}
          disabled={disabled}
          onChange={({ target }) => onChange(target.checked)}
          className={clsx(
            'bg-line-strong checked:bg-accent-solid h-5 w-9 shrink-0 cursor-pointer appearance-none rounded-full p-0.5 transition-colors disabled:opacity-55',
            'before:block before:size-4 before:rounded-full before:bg-white before:transition-transform checked:before:translate-x-4',
            // Where the system chooses the colours there are no backgrounds, so it is the checkbox of the browser.
            'forced-colors:appearance-auto forced-colors:before:hidden',
          )}
        />
        {label}
      </label>
      {hint === undefined ? null : <p className="text-ink-soft mt-1">{hint}</p>}
    </>
  );
}
