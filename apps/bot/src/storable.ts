/** PostgreSQL stores neither U+0000 nor half a character. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}
