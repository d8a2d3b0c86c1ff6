import { ButtonStyle } from 'discord-api-types/v10';
import { invalidForm } from '#src/errors.ts';
import { isObject, type JsonObject } from '#src/fields.ts';

const LONGEST_URL = 512;
const SCHEMES = ['http:', 'https:', 'discord:'];

/** Throws 50035 for a button with an address that Discord does not take. */
export function refuseBadLinks(rows: readonly JsonObject[]): void {
  rows.forEach((row, at) => {
    if (!Array.isArray(row.components)) return;
    row.components.forEach((button: unknown, index) => {
      if (!isObject(button) || button.style !== ButtonStyle.Link) return;
      const field = `components.${at}.components.${index}`;
      if ('custom_id' in button) {
        const message = 'A custom id and url cannot both be specified';
        throw invalidForm(field, 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE', message);
      }
      refuseBadUrl(`${field}.url`, button.url);
    });
  });
}

function refuseBadUrl(field: string, text: unknown): void {
  if (typeof text !== 'string') throw invalidForm(field, 'BASE_TYPE_REQUIRED', 'A url is required');
  if (text.length > LONGEST_URL) {
    throw invalidForm(field, 'BASE_TYPE_MAX_LENGTH', `Must be ${LONGEST_URL} or fewer in length.`);
  }
  const url = URL.parse(text);
  if (url !== null && !SCHEMES.includes(url.protocol)) {
    const schemes = "('http', 'https', 'discord')";
    const message = `Scheme "${url.protocol.slice(0, -1)}" is not supported. Scheme must be one of ${schemes}.`;
    throw invalidForm(field, 'URL_TYPE_INVALID_SCHEME', message);
  }
  // A host such as `localhost`, which has no ending, is no address for Discord.
  const isNamed = url !== null && (url.protocol === 'discord:' || /[.:]/.test(url.hostname));
  if (!isNamed) throw invalidForm(field, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.');
}
