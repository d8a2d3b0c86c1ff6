import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCALES, type Locale } from './locales.ts';

/** The folder of this package. */
export const ROOT = join(import.meta.dirname, '..');

/** Messages by key; a group of messages has its own keys. */
export interface Words {
  readonly [key: string]: string | Words;
}

/** The files of words in each language, by name: `sign-in`, `operations/bans`. */
export type WordFiles = Readonly<Record<Locale, Readonly<Record<string, Words>>>>;

/**
 * Reads all files of words.
 *
 * @throws Error with the name of a file that is not valid JSON
 */
export async function readWordFiles(): Promise<WordFiles> {
  const languages = LOCALES.map(async (locale) => [locale, await readLanguage(locale)] as const);
  return Object.fromEntries(await Promise.all(languages)) as unknown as WordFiles;
}

async function readLanguage(locale: Locale): Promise<Record<string, Words>> {
  const found = await readdir(join(ROOT, 'words', locale), { recursive: true });
  const names = found.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  const files = names.sort().map(async (name) => [name, await readJson(pathOf(locale, name))] as const);
  return Object.fromEntries(await Promise.all(files));
}

async function readJson(path: string): Promise<Words> {
  const text = await readFile(join(ROOT, path), 'utf8');
  try {
    return JSON.parse(text) as Words;
  } catch (error) {
    throw new Error(`packages/messages/${path} is not JSON: ${(error as Error).message}`);
  }
}

/** The path of a file of words, relative to the folder of this package: `words/de/sign-in.json`. */
export function pathOf(locale: Locale, name: string): string {
  return `words/${locale}/${name}.json`;
}

/** The words of a language by area: `signIn`, and so on, and `operations` with all its files. */
export function areasOf(files: WordFiles[Locale]): Words {
  const areas: Record<string, Words> = {};
  for (const [name, words] of Object.entries(files)) {
    const [area = '', part] = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()).split('/');
    areas[area] = part === undefined ? words : { ...areas[area], [part]: words };
  }
  return areas;
}
