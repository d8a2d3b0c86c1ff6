import * as de from './languages/de.ts';
import * as en from './languages/en.ts';
import * as es from './languages/es.ts';
import * as fr from './languages/fr.ts';
import * as pt from './languages/pt.ts';
import type { Whole, WrongIn } from './translated.ts';
import { translators } from './translators.ts';

const LANGUAGES = { en, de, fr, es, pt };

type Shared = keyof typeof en;

/** The bot's texts in every language, as ICU messages. The dashboard has more (`./dashboard.ts`). */
export const CATALOGUES: Whole<WrongIn<typeof LANGUAGES, Shared>, Shared> = LANGUAGES;

/** {@link translators} of the bot's texts. */
export const translator = translators(CATALOGUES);
