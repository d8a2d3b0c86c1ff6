const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Preferences are cookies, so that the server renders the page as this browser wants it. */
export function keepPreference(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}
