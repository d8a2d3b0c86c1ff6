import * as de from './languages/de.ts';
import * as en from './languages/en.ts';
import * as es from './languages/es.ts';
import * as fr from './languages/fr.ts';
import * as pt from './languages/pt.ts';
import type { Whole, WrongIn } from './translated.ts';
import { translators } from './translators.ts';

const LANGUAGES = { en, de, fr, es, pt };

type Shared = keyof typeof en;

/** What the bot says, in every language, as ICU messages; the dashboard's pages have more (`./dashboard.ts`). */
export const CATALOGUES: Whole<WrongIn<typeof LANGUAGES, Shared>, Shared> = LANGUAGES;

/** {@link translators} of what the bot says. */
export const translator = translators(CATALOGUES);
