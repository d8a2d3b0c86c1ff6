/** The call that does something in a guild as the person who is signed in. */
export function actionIn(guildId: string, operation: string, input: object, more: object = {}) {
  return { method: 'POST', path: `/api/guilds/${guildId}/actions`, body: { operation, input, ...more } };
}

/** What was written into an optional field of a form, by its name; nothing if it was left empty. */
export function writtenIn(form: FormData, field: string): Readonly<Record<string, string>> {
  const text = String(form.get(field) ?? '').trim();
  return text === '' ? {} : { [field]: text };
}
