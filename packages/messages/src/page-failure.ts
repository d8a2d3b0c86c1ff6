import de from '#words/de/failure.json' with { type: 'json' };
import en from '#words/en/failure.json' with { type: 'json' };
import es from '#words/es/failure.json' with { type: 'json' };
import fr from '#words/fr/failure.json' with { type: 'json' };
import pt from '#words/pt/failure.json' with { type: 'json' };

export { acceptedLocale, DEFAULT_LOCALE, type Locale } from './locales.ts';

/** The texts for a page that the server could not give its texts, in every language. */
export const PAGE_FAILURE_TEXTS = { en, de, es, fr, pt };
