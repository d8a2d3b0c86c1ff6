/** The languages Bailiff speaks, by their BCP 47 tags; the first is the one the others are translated from. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'pt'] as const;

export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = 'en';

/** Each language in its own words, as a choice of languages shows it. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português (Brasil)',
};

/** The locales of Discord in which each language is spoken (Discord's reference, "Locales"). */
export const DISCORD_LOCALES = {
  en: ['en-US', 'en-GB'],
  de: ['de'],
  fr: ['fr'],
  es: ['es-ES', 'es-419'],
  pt: ['pt-BR'],
} as const satisfies Readonly<Record<Locale, readonly string[]>>;

/** The language of ours that a BCP 47 tag such as `pt-BR` asks for, or null where we do not speak it. */
export function localeOf(tag: string | null | undefined): Locale | null {
  const language = tag?.split(/[-_]/, 1)[0]?.toLowerCase();
  return LOCALES.find((locale) => locale === language) ?? null;
}

/** The first language of ours in an `Accept-Language` header, in the order of its weights (RFC 9110 §12.5.4). */
export function acceptedLocale(header: string | null): Locale | null {
  const wanted = (header ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.trim().split(';');
    const weight = parameters.map((each) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(each)?.[1]).find(Boolean);
    return { tag, weight: weight === undefined ? 1 : Number(weight) };
  });
  const spoken = wanted.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  return spoken.map(({ tag }) => localeOf(tag)).find((locale) => locale !== null) ?? null;
}
