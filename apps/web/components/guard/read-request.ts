/** A request that was pasted as text. */
export interface PastedRequest {
  readonly method: string;
  /** The path and query that would be sent. */
  readonly path: string;
  /** The origin of the URL; null if the text has none. */
  readonly origin: string | null;
  readonly body: string | null;
  readonly contentType: string | null;
  /** The value of the header `Origin`, which browsers send. */
  readonly sentOrigin: string | null;
  readonly idempotencyKey: string | null;
  /** The last four characters of the token's secret, which identify the token to its owner. */
  readonly secretEnd: string | null;
}

const API = '/api/public/v1';
const METHOD_LINE = /^([A-Za-z]+)\s+(\S+)(?:\s+HTTP\/[\d.]+)?\s*$/;
const HEADER_LINE = /^([A-Za-z0-9-]+):\s*(.*)$/;

/** curl's options that take a value. */
const CURL_VALUES =
  /^(-[XHdoAubwmFTe]|--(request|header|data|data-raw|data-binary|data-ascii|json|url|output|user-agent|user|cookie|write-out|max-time|connect-timeout|retry|proxy))$/;

/**
 * The request in a curl command, or in a method and path with headers and a body below them; null for any other text.
 * Nothing is sent anywhere, and only the last four characters of a secret are kept.
 *
 * @param guildId the guild of a relative path such as `/strikes`
 */
export function readRequest(text: string, guildId: string): PastedRequest | null {
  const trimmed = text.trim();
  return /^curl\s/.test(trimmed) ? readCurl(trimmed, guildId) : readPlain(trimmed, guildId);
}

function readCurl(text: string, guildId: string): PastedRequest | null {
  const words = shellWords(text).slice(1);
  const headers = new Map<string, string>();
  const data: string[] = [];
  let method: string | null = null;
  let url: string | null = null;
  for (let index = 0; index < words.length; index += 1) {
    const [option, value] = optionOf(words, index);
    if (option === null) {
      url ??= value;
      continue;
    }
    if (value === null) continue;
    if (words[index] === option) index += 1;
    if (option === '-X' || option === '--request') method = value;
    else if (option === '-H' || option === '--header') addHeader(headers, value);
    else if (option === '--url') url = value;
    else if (option === '-d' || option.startsWith('--data') || option === '--json') data.push(value);
    if (option === '--json') headers.set('content-type', 'application/json');
  }
  if (url === null) return null;
  const body = data.length === 0 ? null : data.join('&');
  if (body !== null && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded');
  }
  return requestOf({ method: method ?? (body === null ? 'GET' : 'POST'), url, headers, body, guildId });
}

/** The option at a word, and its value. If the word is not an option, the option is null and the value is the word. */
function optionOf(words: readonly string[], index: number): [option: string | null, value: string | null] {
  const word = words[index] ?? '';
  if (!word.startsWith('-') || word === '-') return [null, word];
  if (CURL_VALUES.test(word)) return [word, words[index + 1] ?? null];
  const attached = /^(-[XHd])(.+)$/.exec(word) ?? /^(--[\w-]+)=(.*)$/.exec(word);
  return attached === null ? [word, null] : [attached[1] ?? '', attached[2] ?? ''];
}

function readPlain(text: string, guildId: string): PastedRequest | null {
  const [first = '', ...lines] = text.split(/\r?\n/);
  const [, method, url] = METHOD_LINE.exec(first) ?? [];
  if (method === undefined || url === undefined || !/^(\/|https?:\/\/)/i.test(url)) return null;
  const headers = new Map<string, string>();
  while (lines.length > 0 && addHeader(headers, lines[0] ?? '')) lines.shift();
  const body = lines.join('\n').trim();
  return requestOf({ method, url, headers, body: body === '' ? null : body, guildId });
}

function addHeader(headers: Map<string, string>, line: string): boolean {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) return false;
  headers.set(name.toLowerCase(), value);
  return true;
}

function requestOf({
  method,
  url,
  headers,
  body,
  guildId,
}: {
  method: string;
  url: string;
  headers: ReadonlyMap<string, string>;
  body: string | null;
  guildId: string;
}): PastedRequest {
  const [, origin = null, rest = url] = /^(https?:\/\/[^/?#]*)(.*)$/i.exec(url) ?? [];
  return {
    method: method.toUpperCase(),
    path: fullPath(rest.replace(/#.*$/, '') || '/', guildId),
    origin,
    body,
    contentType: headers.get('content-type') ?? null,
    sentOrigin: headers.get('origin') ?? null,
    idempotencyKey: headers.get('idempotency-key') ?? null,
    secretEnd: /svcpat_\w*(\w{4})$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
  };
}

/** The full path of a path that begins below the API or below a guild, as the reference writes it. */
function fullPath(path: string, guildId: string): string {
  if (path.startsWith('/api/')) return path;
  return /^\/(guilds\/|me([/?]|$))/.test(path) ? API + path : `${API}/guilds/${guildId}${path}`;
}

/** The words of a command, split as a shell does: quotes, backslashes and continued lines. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (quote === "'") {
      if (character === "'") quote = null;
      else word += character;
    } else if (character === '\\') {
      index += 1;
      const escaped: string = text[index] ?? '';
      if (escaped === '\r' && text[index + 1] === '\n') index += 1;
      else if (escaped !== '\n') word = (word ?? '') + literal(escaped, quote);
    } else if (quote === '"') {
      if (character === '"') quote = null;
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? '') + character;
    }
  }
  return word === null ? words : [...words, word];
}

/** Between double quotes, a backslash that escapes nothing stays in the text. */
function literal(escaped: string, quote: string | null): string {
  return quote === '"' && !/["\\$`]/.test(escaped) ? `\\${escaped}` : escaped;
}
