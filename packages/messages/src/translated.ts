import type { Messages } from '#generated/messages.ts';
import type { Locale } from './locales.ts';
import type { RequiredWords } from './required-words.ts';

/** All of Bailiff's texts in English (`words/en`). */
export type { Messages };

/** The texts of an area of the product. */
export type Namespace = keyof Messages;

type Texts<Source> = {
  readonly [Key in keyof Source]: Source[Key] extends string ? string : Texts<Source[Key]>;
};

/** A namespace in another language, with exactly the same keys. */
export type Translated<Name extends Namespace> = Texts<Messages[Name]>;

/** Some namespaces in every language. */
export type Catalogues<Name extends Namespace> = Readonly<
  Record<Locale, { readonly [Each in Name]: Translated<Each> }>
>;

/** Complete catalogues. If something is missing or unknown, the compiler's error shows `Wrong`. */
export type Whole<Wrong extends never, Name extends Namespace> = Catalogues<Name> & Record<Wrong, unknown>;

/**
 * One sentence for each missing or unknown English key, then one for each key in which a language differs from English.
 */
export type WrongIn<Languages, Name extends Namespace> = [WrongEnglish<Name>] extends [never]
  ? {
      [Language in keyof Languages & string]: {
        [Area in Name]: Area extends keyof Languages[Language]
          ? WrongInArea<Language, Area, Messages[Area], Languages[Language][Area]>
          : `Export ${FileOf<Language, Area>} in src/languages.`;
      }[Name];
    }[keyof Languages & string]
  : WrongEnglish<Name>;

/** Differences between the English words and those that the operation table and the list of events need. */
type WrongEnglish<Name extends Namespace> = {
  [Area in Name & keyof RequiredWords]: WrongInArea<'core', Area, RequiredWords[Area], Messages[Area]>;
}[Name & keyof RequiredWords];

/** The words of operations have a file for each area. */
type WrongInArea<Language extends string, Area extends string, Model, Words> = Area extends 'operations'
  ?
      | {
          [Part in keyof Model & string]: Part extends keyof Words
            ? Differences<FileOf<Language, `${Area}/${Part}`>, Language, Model[Part], Words[Part], `${Part}.`>
            : Lacking<FileOf<Language, `${Area}/${Part}`>, Language, Part>;
        }[keyof Model & string]
      | Surplus<FileOf<Language, Area>, Language, Model, Words, ''>
  : Differences<FileOf<Language, Area>, Language, Model, Words>;

type Differences<File extends string, Language, Model, Words, Path extends string = ''> =
  | {
      [Key in keyof Model & string]-?: Key extends keyof Words
        ? NonNullable<Model[Key]> extends string
          ? Words[Key] extends string
            ? never
            : `${File}: "${Path}${Key}" must be one message.`
          : Words[Key] extends string
            ? `${File}: "${Path}${Key}" must be a group of messages.`
            : Differences<File, Language, Model[Key], Words[Key], `${Path}${Key}.`>
        : undefined extends Model[Key]
          ? never
          : Lacking<File, Language, `${Path}${Key}`>;
    }[keyof Model & string]
  | Surplus<File, Language, Model, Words, Path>;

type Surplus<File extends string, Language, Model, Words, Path extends string> = {
  [Key in Exclude<keyof Words & string, keyof Model>]: Language extends 'core'
    ? `${File} has "${Path}${Key}", which nothing in packages/core uses: remove it.`
    : Language extends 'en'
      ? Outdated<File>
      : `${File} has "${Path}${Key}", which English lacks: remove it, or add it there.`;
}[Exclude<keyof Words & string, keyof Model>];

type Lacking<File extends string, Language, Key extends string> = Language extends 'core'
  ? `${File} lacks "${Key}", which packages/core demands: write it, then run "npm run generate".`
  : Language extends 'en'
    ? Outdated<File>
    : `${File} lacks "${Key}": translate it from English.`;

type Outdated<File extends string> = `${File} has changed: run "npm run generate".`;

type FileOf<
  Language extends string,
  Area extends string,
> = `words/${Language extends 'core' ? 'en' : Language}/${Kebab<Area>}.json`;

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : Name;
