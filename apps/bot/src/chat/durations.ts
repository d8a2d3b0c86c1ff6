/** What people write for each unit, by its seconds, in the supported languages. */
const WRITTEN: readonly (readonly [seconds: number, words: string])[] = [
  [1, 's sec secs second seconds sek sekunde sekunden seconde secondes seg segs segundo segundos'],
  [60, 'm min mins minute minutes minuten minuto minutos'],
  [3_600, 'h hr hrs hour hours std stunde stunden heure heures hora horas'],
  [86_400, 'd day days t tag tage tagen j jour jours día días dia dias'],
  [604_800, 'w wk wks week weeks woche wochen sem semaine semaines semana semanas'],
];
const SECONDS = new Map(
  WRITTEN.flatMap(([seconds, words]) => words.split(' ').map((word) => [word, seconds])),
);

/** `permanent` in each supported language. */
const PERMANENT: readonly string[] = [
  'permanent',
  'permanente',
  'permanently',
  'de forma permanente',
  'forever',
  'for good',
  'dauerhaft',
  'auf dauer',
  'für immer',
  'définitif',
  'définitivement',
  'para siempre',
  'para sempre',
  'permanentemente',
];

/**
 * The seconds of a duration as people write it in any supported language: `30m`, `2 hours`, `1 Tag 12 Std`. Null for
 * `permanent`, `bare` for a number without a unit, undefined for anything else.
 */
export function parseDuration(text: string): number | null | 'bare' | undefined {
  const plain = text.normalize('NFC').trim().toLowerCase();
  if (PERMANENT.includes(plain)) return null;
  if (/^0+$/.test(plain)) return 0;
  if (/^\d+$/.test(plain)) return 'bare';
  if (!/^(\d{1,9}\s*\p{L}+\.?[\s,]*)+$/u.test(plain)) return undefined;
  let sum = 0;
  for (const [, amount, unit = ''] of plain.matchAll(/(\d+)\s*(\p{L}+)/gu)) {
    const seconds = SECONDS.get(unit);
    if (seconds === undefined) return undefined;
    sum += Number(amount) * seconds;
  }
  return sum;
}
