/** How long a token may live, as people read it. */
export const LIFETIME_OPTIONS = [
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: 'never', label: 'Never expires' },
] as const;

/** The entries of an allowlist as typed: one per line, or separated by commas or spaces. */
export function entriesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}
