import { TextField } from '#components/ui/field.tsx';

/** A field for a whole number. It gives NaN while it is empty. */
export function NumberField({
  value,
  least,
  most,
  onChange,
  ...props
}: {
  label: string;
  hint: string;
  least: number;
  most: number;
  value: number;
  error: string | undefined;
  onChange: (value: number) => void;
}) {
  return (
    <TextField
      {...props}
      type="number"
      min={least}
      max={most}
      required
      value={Number.isFinite(value) ? value : ''}
      onChange={({ target }) => onChange(target.valueAsNumber)}
    />
  );
}
