/**
 * Characters that nobody sees, and with which a text could disguise itself or what surrounds it: controls,
 * bidirectional and zero-width characters, tags, variation selectors, separators of lines, private use, halves of
 * characters.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** Made when it is first needed: of the list of all emoji, that takes 20 ms. */
let emojiOrUnseen: RegExp | undefined;

/** `text` with each character that nobody sees replaced, except those in `kept`, such as line feeds. */
function replaceUnseen(text: string, kept: string, replace: (character: string) => string): string {
  if (!UNSEEN.test(text)) return text;
  // An emoji of Unicode's list, which is finite, may contain some of them; or one such character.
  emojiOrUnseen ??= new RegExp(`(\\p{RGI_Emoji})|${UNSEEN.source}`, 'gv');
  return text.replace(emojiOrUnseen, (found: string, emoji: string | undefined) =>
    emoji !== undefined || kept.includes(found) ? found : replace(found),
  );
}

/** `text` with characters that nobody sees written out: `\u202e`, `\u{e0041}`. */
export function showUnseen(text: string, kept = ''): string {
  return replaceUnseen(text, kept, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** `text` without characters that nobody sees. */
export function dropUnseen(text: string, kept = ''): string {
  return replaceUnseen(text, kept, () => '');
}

/**
 * The first of a person's names in which there is something to see, without characters that nobody sees: such a name
 * could turn around the sentence that it stands in, or look like nobody at all.
 *
 * @param names nickname, display name, username, in this order
 */
export function shownName(...names: readonly (string | null | undefined)[]): string {
  const shown = names.map((name) => dropUnseen(name ?? '').trim());
  return shown.find((name) => name !== '') ?? '';
}
