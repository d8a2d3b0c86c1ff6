/** What people write for each unit, by its seconds, in the supported languages. A month is 30 days, a year 365. */
const WRITTEN: readonly (readonly [seconds: number, words: string])[] = [
  [1, 's sec secs second seconds sek sekunde sekunden seconde secondes seg segs segundo segundos'],
  [60, 'm min mins minute minutes minuten minuto minutos'],
  [3_600, 'h hr hrs hour hours std stunde stunden heure heures hora horas'],
  [86_400, 'd day days t tag tage tagen j jour jours día días dia dias'],
  [604_800, 'w wk wks week weeks woche wochen sem semaine semaines semana semanas'],
  [2_592_000, 'mo month months monat monate monaten mois mes meses mês'],
  [31_536_000, 'y year years jahr jahre jahren an ans année années año años ano anos'],
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

/** Words for one, and words between two parts. After a number `y` is a year, as in `1 y 100 d`. */
const ONE = 'an?|one|eine?|einen|une?|una|uma?';
const AND = /(?<![\d\s])\s+(?:and|und|et|y|e)\s+/gu;

const PART = new RegExp(`(\\d[\\d.,' ]*|(?:${ONE})\\s)\\s*(\\p{L}+)\\.?[\\s,]*`, 'uy');

/** The longest that is read, in characters. */
const LONGEST_TEXT = 80;

/**
 * The seconds of a duration as people write it in any supported language: `30m`, `2 hours`, `1 Tag 12 Std`, `1,5 h`,
 * `2h30`, `une semaine`. Null for `permanent`, `bare` for a number without a unit, undefined for anything else.
 */
export function parseDuration(text: string): number | null | 'bare' | undefined {
  const plain = text.normalize('NFKC').trim().toLowerCase();
  if (plain.length > LONGEST_TEXT) return undefined;
  if (PERMANENT.includes(plain)) return null;
  if (/^0+$/.test(plain)) return 0;
  if (/^\d+$/.test(plain)) return 'bare';
  // In `2h30` the minutes have no unit.
  const joined = plain.replace(AND, ' ').replace(/(\d\s*h\s*)([0-5]?\d)$/, '$1$2m');
  let sum = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < joined.length) {
    const [, amount = '', unit = ''] = PART.exec(joined) ?? [];
    const seconds = (amountOf(amount) ?? Number.NaN) * (SECONDS.get(unit) ?? Number.NaN);
    if (Number.isNaN(seconds)) return undefined;
    sum += seconds;
  }
  const whole = Math.round(sum);
  return joined !== '' && Number.isSafeInteger(whole) ? whole : undefined;
}

function amountOf(written: string): number | undefined {
  return /^\d/.test(written) ? parseNumber(written) : 1;
}

/**
 * A number as any of the languages writes it; undefined for any other text. Three digits after a single separator are
 * thousands: 1,000 is 1000.
 */
export function parseNumber(text: string): number | undefined {
  const digits = text.normalize('NFKC').trim();
  if (/^\d{1,9}$/.test(digits)) return Number(digits);
  if (/^\d{1,3}([.,' ])\d{3}(?:\1\d{3})*$/.test(digits)) return Number(digits.replace(/\D/g, ''));
  if (/^\d{1,9}[.,]\d{1,2}$/.test(digits)) return Number(digits.replace(',', '.'));
  return undefined;
}
