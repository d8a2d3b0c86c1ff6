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

/** curl's short options that say what is sent, by their letters. */
const CURL_LETTERS: Readonly<Record<string, string>> = {
  X: 'request',
  H: 'header',
  d: 'data',
  F: 'form',
  T: 'upload-file',
  G: 'get',
  I: 'head',
  ':': 'next',
};

/** Joined short options: those without a value, the first that takes one, and what stands behind that. */
const SHORT_OPTIONS = /^-([^AbcCdDeEFHKmoPQrtTuUwxXyYz]*)(.?)(.*)$/s;
/** curl's long options that take a value, which is not the address. */
const CURL_NAMES_WITH_VALUE = new RegExp(
  `^(${[
    'request|header|url|url-query|json|data|data-(raw|binary|ascii|urlencode)|form|form-string|upload-file|range',
    'user|user-agent|referer|cookie|cookie-jar|oauth2-bearer|login-options|service-name|sasl-authzid|aws-sigv4',
    'output|output-dir|write-out|dump-header|stderr|trace|trace-ascii|trace-config|libcurl|config|netrc-file|hsts|alt-svc',
    'max-time|connect-timeout|retry|retry-delay|retry-max-time|limit-rate|rate|speed-limit|speed-time|max-redirs|max-filesize',
    'resolve|connect-to|interface|local-port|dns-.*|doh-url|unix-socket|abstract-unix-socket|request-target|variable',
    'cacert|capath|cert|cert-type|key|key-type|pass|ciphers|curves|tls13-ciphers|tls-max|crlfile|pinnedpubkey|engine',
    'proxy|preproxy|proxy1.0|socks4|socks4a|socks5|socks5-hostname|noproxy|proxy-(user|header|cacert|capath|cert|cert-type|key|key-type|pass|ciphers)',
    'proto|proto-default|proto-redir|keepalive-time|expect100-timeout|continue-at|time-cond|etag-save|etag-compare',
  ].join('|')})$`,
);

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
  const headers = new Map<string, string>();
  const data: string[] = [];
  const addresses: string[] = [];
  let method: string | null = null;
  let implied: string | null = null;
  let asksWithData = false;
  for (const [option, value] of curlOptions(shellWords(text, guildId).slice(1))) {
    // What follows is a request of its own.
    if (option === 'next') break;
    if (option === 'request') method = value;
    else if (option === 'header') addHeader(headers, value);
    else if (option === 'url') addresses.unshift(value);
    else if (option === null) addresses.push(value);
    else if (option === 'get') asksWithData = true;
    else if (option === 'head') implied = 'HEAD';
    else if (option === 'upload-file') implied = 'PUT';
    else if (option === 'data-urlencode') data.push(urlEncoded(value));
    else if (option === 'json' || option.startsWith('data')) data.push(value);
    else if (option === 'form' || option === 'form-string') {
      implied = 'POST';
      headers.set('content-type', 'multipart/form-data');
    }
    if (option === 'json') headers.set('content-type', 'application/json');
  }
  const address = addresses.find((each) => each.includes(`${API}/`)) ?? addresses.find(isAddress);
  if (address === undefined) return null;
  const sent = data.length === 0 ? null : data.join('&');
  const query = asksWithData && sent !== null ? (address.includes('?') ? '&' : '?') + sent : '';
  const body = asksWithData ? null : sent;
  if (body !== null && !headers.has('content-type')) {
    headers.set('content-type', 'application/x-www-form-urlencoded');
  }
  method ||= implied ?? (body === null ? 'GET' : 'POST');
  return requestOf({ method, url: address + query, headers, body, guildId });
}

/** The options of a command by their long names, and their values. Words that are no options have no name. */
function* curlOptions(words: readonly string[]): Generator<[option: string | null, value: string]> {
  const left = [...words];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!word.startsWith('-')) yield [null, word];
    else if (word.startsWith('--')) {
      const [, name = '', attached] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
      yield [name, attached ?? (CURL_NAMES_WITH_VALUE.test(name) ? left.shift() : null) ?? ''];
    } else {
      // Letters may be joined: the first that takes a value has the rest of the word, or else the next word.
      const [, flags = '', last = '', rest = ''] = SHORT_OPTIONS.exec(word) ?? [];
      for (const flag of flags) yield [CURL_LETTERS[flag] ?? flag, ''];
      if (last !== '') yield [CURL_LETTERS[last] ?? last, rest || (left.shift() ?? '')];
    }
  }
}

/** An address of the API may also begin with a variable of the shell. */
function isAddress(word: string): boolean {
  return /^(https?:\/\/|\/|\$)/i.test(word);
}

/** As curl's `--data-urlencode` sends a value: what stands before the first `=` is a name. */
function urlEncoded(value: string): string {
  const [, name = '', content = ''] = /^(?:([^=]*=))?(.*)$/s.exec(value) ?? [];
  return (name === '=' ? '' : name) + encodeURIComponent(content);
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
  const named = rest.replace(/\$(GUILD\b|\{GUILD\})/g, guildId);
  return {
    method: method.toUpperCase(),
    path: fullPath(named.replace(/#.*$/, '') || '/', guildId),
    origin,
    body,
    contentType: headers.get('content-type') ?? null,
    sentOrigin: headers.get('origin') ?? null,
    idempotencyKey: headers.get('idempotency-key') ?? null,
    secretEnd: /svcpat_\w*(\w{4})$/.exec(headers.get('authorization') ?? '')?.[1] ?? null,
  };
}

/**
 * The full path of a path that begins below the API or below a guild, as the reference writes it, or with a host or a
 * variable of the shell that stands for one, as the guide does.
 */
function fullPath(written: string, guildId: string): string {
  const path = written.replace(/^[^/?]+(?=\/)/, '').replace(/^[^?]*?(?=\/api\/public\/v1\/)/, '');
  if (path.startsWith('/api/')) return path;
  return /^\/(guilds\/|me([/?]|$))/.test(path) ? API + path : `${API}/guilds/${guildId}${path}`;
}

/** Continues a line in PowerShell and in the command prompt of Windows. */
const CONTINUED = /^[`^]\r?\n/;
/** Stands before a file to read or write. `<(` is no file but a command in place of a word. */
const REDIRECTION = /^(&>>?|<<[<-]?|[<>][>&|]?)(?!\()/;
/** The guide's variable for the id of the guild, where a shell puts its value. */
const GUILD_VARIABLE = /^\$(GUILD\b|\{GUILD\})/;

/**
 * The words of a line's first command, split as a shell does: quotes, backslashes and continued lines, the guide's
 * variable for the guild, and commands in place of words, which stay as they are written. Files that it reads or writes
 * are left out.
 */
function shellWords(text: string, guildId: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  /** The quotes around each bracket that is open. */
  const brackets: (string | null)[] = [];
  let isFile = false;
  const endWord = () => {
    if (word === null) return;
    if (!isFile) words.push(word);
    [word, isFile] = [null, false];
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index] ?? '';
    const opens: boolean =
      character === '(' && (quote === null || /[^\\]\$/.test(text.slice(index - 2, index)));
    const redirection = REDIRECTION.exec(text.slice(index, index + 4))?.[0];
    const variable = GUILD_VARIABLE.exec(text.slice(index, index + 8))?.[0];
    if (quote === "'") {
      if (character === "'") quote = null;
      else word += character;
    } else if (character === '\\' || (quote === null && CONTINUED.test(text.slice(index, index + 3)))) {
      index += 1;
      const escaped: string = text[index] ?? '';
      if (escaped === '\r' && text[index + 1] === '\n') index += 1;
      else if (escaped !== '\n') word = (word ?? '') + literal(escaped, quote);
    } else if (variable !== undefined) {
      word = (word ?? '') + guildId;
      index += variable.length - 1;
    } else if (quote === '"' && !opens) {
      if (character === '"') quote = null;
      else word += character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= '';
    } else if (opens || brackets.length > 0) {
      if (opens) brackets.push(quote);
      quote = !opens && character === ')' ? (brackets.pop() ?? null) : null;
      word = (word ?? '') + character;
    } else if (redirection !== undefined) {
      // Digits right before it say which file of the process it is.
      if (/^\d+$/.test(word ?? '')) word = null;
      endWord();
      isFile = true;
      index += redirection.length - 1;
    } else if (/[|;&\n]/.test(character) || (character === '#' && word === null)) {
      break;
    } else if (/\s/.test(character)) {
      endWord();
    } else {
      word = (word ?? '') + character;
    }
  }
  endWord();
  return words;
}

/** Between double quotes, a backslash that escapes nothing stays in the text. */
function literal(escaped: string, quote: string | null): string {
  return quote === '"' && !/["\\$`]/.test(escaped) ? `\\${escaped}` : escaped;
}
