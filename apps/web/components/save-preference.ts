const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Saves a preference in a cookie, so that the server can render the page by it. */
export function savePreference(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}
