/** Seconds of each unit that people write. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `permanent` in each supported language. */
const PERMANENT =
  /^(permanent|permanente|permanently|de forma permanente|forever|for good|dauerhaft|auf dauer|für immer|définitif|définitivement|para siempre|para sempre|permanentemente)$/;

/**
 * The seconds of a duration as people write it: `30m`, `2d`, `1w`, `1d 12h`. A bare number means minutes. Null for
 * `permanent`, undefined for anything else.
 */
export function parseDuration(text: string): number | null | undefined {
  const plain = text.trim().toLowerCase();
  if (PERMANENT.test(plain)) return null;
  if (/^\d{1,9}$/.test(plain)) return Number(plain) * 60;
  if (!/^(\d{1,9}\s*[smhdw]\s*)+$/.test(plain)) return undefined;
  return [...plain.matchAll(/(\d+)\s*([smhdw])/g)].reduce(
    (seconds, [, amount, unit = '']) => seconds + Number(amount) * (UNITS[unit] ?? 0),
    0,
  );
}
