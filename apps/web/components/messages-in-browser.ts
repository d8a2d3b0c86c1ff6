const latest = new Map<string, { readonly text: string; readonly messages: object }>();

/**
 * The messages that the server compiled, which the small formatter of the browser reads (next.config.mjs). A refresh of
 * the page brings them in a new object, in place of which the one before is returned: what depends on it, such as every
 * call to the API, is not done again.
 */
export function messagesHere(locale: string, namespaces: readonly string[], compiled: object): object {
  const key = [locale, ...namespaces].join(' ');
  const text = JSON.stringify(compiled);
  const before = latest.get(key);
  if (before?.text === text) return before.messages;
  latest.set(key, { text, messages: compiled });
  return compiled;
}
