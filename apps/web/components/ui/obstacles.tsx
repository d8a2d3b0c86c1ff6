/**
 * Why the buttons above cannot be pressed, each reason once. Their titles do not reach who uses the keyboard or a
 * phone.
 */
export function Obstacles({ because }: { because: readonly (string | null | undefined)[] }) {
  const reasons = [...new Set(because)].filter((reason) => typeof reason === 'string');
  return reasons.map((reason) => (
    <p key={reason} className="text-ink-soft mt-1.5 max-w-prose text-xs">
      {reason}
    </p>
  ));
}
