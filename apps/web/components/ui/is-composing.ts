import type { KeyboardEvent } from 'react';

/** Whether a key belongs to an input method, as Enter does that ends a word of Japanese. Safari says so by the code alone. */
export function isComposing({ nativeEvent: { isComposing, keyCode } }: KeyboardEvent): boolean {
  return isComposing || keyCode === 229;
}
