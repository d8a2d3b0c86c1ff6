import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCALES, type Locale } from './locales.ts';

/** The folder of this package. */
export const ROOT = join(import.meta.dirname, '..');

/** Messages by their key; a group of them has keys of its own. */
export interface Words {
  readonly [key: string]: string | Words;
}

/** Every file of words: by language, then by area (`signIn` is `sign-in.json`). */
export type WordFiles = Readonly<Record<Locale, Readonly<Record<string, Words>>>>;

/**
 * Reads all files of words.
 *
 * @throws Error that names the file which is not JSON
 */
export async function readWords(): Promise<WordFiles> {
  const languages = LOCALES.map(async (locale) => [locale, await readLanguage(locale)] as const);
  return Object.fromEntries(await Promise.all(languages)) as unknown as WordFiles;
}

async function readLanguage(locale: Locale): Promise<Record<string, Words>> {
  const files = (await readdir(join(ROOT, 'words', locale))).filter((file) => file.endsWith('.json')).sort();
  const areas = files.map(async (file) => {
    const area = file
      .slice(0, -'.json'.length)
      .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return [area, await readJson(`words/${locale}/${file}`)] as const;
  });
  return Object.fromEntries(await Promise.all(areas));
}

async function readJson(path: string): Promise<Words> {
  const text = await readFile(join(ROOT, path), 'utf8');
  try {
    return JSON.parse(text) as Words;
  } catch (error) {
    throw new Error(`packages/messages/${path} is not JSON: ${(error as Error).message}`);
  }
}

/** `words/de/sign-in.json` */
export function fileOf(locale: Locale, area: string): string {
  return `words/${locale}/${area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.json`;
}
