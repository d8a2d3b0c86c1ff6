import type { messages } from './en/index.ts';

/** All that Bailiff says, as it says it in English. */
export type Messages = typeof messages;

/** A part of what is said, with keys of its own: an area of the product. */
export type Namespace = keyof Messages;

type Texts<Source> = {
  readonly [Key in keyof Source]: Source[Key] extends string ? string : Texts<Source[Key]>;
};

/** A namespace in another language: the same keys, all of them. */
export type Translated<Name extends Namespace> = Texts<Messages[Name]>;
