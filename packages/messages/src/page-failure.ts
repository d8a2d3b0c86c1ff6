import de from '#words/de/ui.json' with { type: 'json' };
import en from '#words/en/ui.json' with { type: 'json' };
import es from '#words/es/ui.json' with { type: 'json' };
import fr from '#words/fr/ui.json' with { type: 'json' };
import pt from '#words/pt/ui.json' with { type: 'json' };

export { acceptedLocale, DEFAULT_LOCALE, type Locale } from './locales.ts';

/** The texts for a page that the server could not give its texts, in every language. */
export const PAGE_FAILURE_TEXTS = { en, de, es, fr, pt };
