/** PostgreSQL stores neither U+0000 nor half a character. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** What Discord has sent, in which every text can be stored. Changes it in place, because an event can be large. */
export function storableIn<Sent>(sent: Sent): Sent;
export function storableIn(sent: unknown): unknown {
  if (typeof sent === 'string') return storable(sent);
  if (typeof sent === 'object' && sent !== null) {
    const parts = sent as Record<string, unknown>;
    for (const key of Object.keys(parts)) parts[key] = storableIn(parts[key]);
  }
  return sent;
}
