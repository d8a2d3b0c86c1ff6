/** Seconds of each unit people write. */
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `permanent`, as our languages say it. */
const FOR_GOOD =
  /^(permanent|permanente|permanently|de forma permanente|forever|for good|dauerhaft|auf dauer|für immer|définitif|définitivement|para siempre|para sempre|permanentemente)$/;

/**
 * A length of time as people write it: `30m`, `2d`, `1w`, `1d 12h`; a bare number is minutes. In seconds; null for
 * `permanent`, undefined for what is none of these.
 */
export function parseDuration(text: string): number | null | undefined {
  const plain = text.trim().toLowerCase();
  if (FOR_GOOD.test(plain)) return null;
  if (/^\d{1,9}$/.test(plain)) return Number(plain) * 60;
  if (!/^(\d{1,9}\s*[smhdw]\s*)+$/.test(plain)) return undefined;
  return [...plain.matchAll(/(\d+)\s*([smhdw])/g)].reduce(
    (seconds, [, amount, unit = '']) => seconds + Number(amount) * (UNITS[unit] ?? 0),
    0,
  );
}
