import type { Messages } from '#generated/messages.ts';
import type { Locale } from './locales.ts';

/** All that Bailiff says, as it says it in English (`words/en`). */
export type { Messages };

/** A part of what is said, with keys of its own: an area of the product, one file per language. */
export type Namespace = keyof Messages;

type Texts<Source> = {
  readonly [Key in keyof Source]: Source[Key] extends string ? string : Texts<Source[Key]>;
};

/** A namespace in another language: the same keys, all of them. */
export type Translated<Name extends Namespace> = Texts<Messages[Name]>;

/** Some namespaces in every language. */
export type Catalogues<Name extends Namespace> = Readonly<
  Record<Locale, { readonly [Each in Name]: Translated<Each> }>
>;

/** Catalogues with which nothing is wrong; the compiler shows `Wrong` where something is. */
export type Whole<Wrong extends never, Name extends Namespace> = Catalogues<Name> & Record<Wrong, unknown>;

/** One sentence for each key by which a language's words differ from the English ones. */
export type WrongIn<Languages, Name extends Namespace> = {
  [Language in keyof Languages & string]: {
    [Area in Name]: Area extends keyof Languages[Language]
      ? Differences<FileOf<Language, Area>, Language, Messages[Area], Languages[Language][Area]>
      : `${FileOf<Language, Area>} is not among the words of src/languages: export it there.`;
  }[Name];
}[keyof Languages & string];

type Differences<File extends string, Language, English, Words, Path extends string = ''> =
  | {
      [Key in keyof English & string]: Key extends keyof Words
        ? English[Key] extends string
          ? Words[Key] extends string
            ? never
            : `${File}: "${Path}${Key}" is one message in English.`
          : Words[Key] extends string
            ? `${File}: "${Path}${Key}" is a group of messages in English.`
            : Differences<File, Language, English[Key], Words[Key], `${Path}${Key}.`>
        : Language extends 'en'
          ? `${File} has changed: run "npm run generate".`
          : `${File} lacks "${Path}${Key}": translate it from English.`;
    }[keyof English & string]
  | {
      [Key in Exclude<keyof Words & string, keyof English>]: Language extends 'en'
        ? `${File} has changed: run "npm run generate".`
        : `${File} has "${Path}${Key}", which English lacks: remove it, or add it there.`;
    }[Exclude<keyof Words & string, keyof English>];

type FileOf<Language extends string, Area extends string> = `words/${Language}/${Kebab<Area>}.json`;

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `-${Lowercase<First>}`}${Kebab<Rest>}`
  : Name;
