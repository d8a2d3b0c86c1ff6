import { CATALOGUES as SHARED } from './catalogues.ts';
import * as de from './languages/de-dashboard.ts';
import * as en from './languages/en-dashboard.ts';
import * as es from './languages/es-dashboard.ts';
import * as fr from './languages/fr-dashboard.ts';
import * as pt from './languages/pt-dashboard.ts';
import type { Catalogues, Namespace, Whole, WrongIn } from './translated.ts';
import { translators } from './translators.ts';

const LANGUAGES = { en, de, fr, es, pt };

type Dashboard = keyof typeof en;

/** The texts that only the dashboard has. */
const PAGES: Whole<WrongIn<typeof LANGUAGES, Dashboard>, Dashboard> = LANGUAGES;

/** All of Bailiff's texts in every language, as ICU messages. */
export const CATALOGUES: Catalogues<Namespace> = {
  en: { ...SHARED.en, ...PAGES.en },
  de: { ...SHARED.de, ...PAGES.de },
  fr: { ...SHARED.fr, ...PAGES.fr },
  es: { ...SHARED.es, ...PAGES.es },
  pt: { ...SHARED.pt, ...PAGES.pt },
};

/** {@link translators} of all of Bailiff's texts. */
export const translator = translators(CATALOGUES);
