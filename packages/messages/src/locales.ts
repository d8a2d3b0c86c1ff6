/** The languages of Bailiff, by BCP 47 tag. The others are translated from the first one. */
export const LOCALES = ['en', 'de', 'fr', 'es', 'pt'] as const;

export type Locale = (typeof LOCALES)[number];

export const DEFAULT_LOCALE: Locale = 'en';

/** The name of each language in that language, for a language menu. */
export const LOCALE_NAMES: Readonly<Record<Locale, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português (Brasil)',
};

/** The Discord locales of each language (Discord's reference, "Locales"). */
export const DISCORD_LOCALES = {
  en: ['en-US', 'en-GB'],
  de: ['de'],
  fr: ['fr'],
  es: ['es-ES', 'es-419'],
  pt: ['pt-BR'],
} as const satisfies Readonly<Record<Locale, readonly string[]>>;

/** Bailiff's language for a BCP 47 tag such as `pt-BR`, or null if there is none. */
export function localeOf(tag: string | null | undefined): Locale | null {
  const language = tag?.split(/[-_]/, 1)[0]?.toLowerCase();
  return LOCALES.find((locale) => locale === language) ?? null;
}

/** The first of Bailiff's languages in an `Accept-Language` header, in the order of the weights (RFC 9110 §12.5.4). */
export function acceptedLocale(header: string | null): Locale | null {
  const wanted = (header ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.trim().split(';');
    const weight = parameters.map((each) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(each)?.[1]).find(Boolean);
    return { tag, weight: weight === undefined ? 1 : Number(weight) };
  });
  const accepted = wanted.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  return accepted.map(({ tag }) => localeOf(tag)).find((locale) => locale !== null) ?? null;
}
