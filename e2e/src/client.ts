// Bailiff as an outside client meets it: over HTTP only, the way a browser or a script would.

/** One request and what came back. */
export interface Exchange {
  method: string;
  url: string;
  status: number;
  headers: Headers;
  /** The JSON body; undefined where the body is something else. */
  body: unknown;
  /** The body as it came. */
  text: string;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
}

const REQUEST_TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 10;

/** A browser as far as a session goes: it keeps cookies per host. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** One request, with the cookies of its host; redirects are not followed. */
  async request(url: string | URL, options: RequestOptions = {}): Promise<Exchange> {
    const { host } = new URL(url);
    const jar = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const exchange = await send(url, {
      ...options,
      headers: { ...options.headers, ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of exchange.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1);
      const name = pair.slice(0, pair.indexOf('='));
      const value = pair.slice(name.length + 1);
      if (value === '' || /;\s*max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return exchange;
  }

  /**
   * Signs in to the dashboard as one of the sandbox's people: the whole OAuth flow, with `login_as` in place of the click.
   *
   * @param web origin of the dashboard
   * @throws Error naming the step that did not go as it should
   */
  async signIn(web: string, userId: string): Promise<void> {
    const csrf = await this.request(`${web}/api/auth/csrf`);
    const csrfToken = field(csrf, 'csrfToken');
    const start = await this.request(`${web}/api/auth/signin/discord`, {
      method: 'POST',
      headers: { origin: web },
      form: { csrfToken, callbackUrl: `${web}/`, json: 'true' },
    });
    const authorize = new URL(field(start, 'url'));
    authorize.searchParams.set('login_as', userId);
    await this.#followRedirects(authorize);
    const session = await this.request(`${web}/api/auth/session`);
    field(session, 'user');
  }

  async #followRedirects(start: URL): Promise<void> {
    let url = start;
    for (let hop = 0; hop < MAX_REDIRECTS; hop += 1) {
      const { status, headers } = await this.request(url);
      if (status >= 400) throw new Error(`GET ${url.origin}${url.pathname} answered ${status}.`);
      const location = headers.get('location');
      if (location === null) return;
      url = new URL(location, url);
    }
    throw new Error(`More than ${MAX_REDIRECTS} redirects from ${start.origin}${start.pathname}.`);
  }
}

/** A call of the public API with a token. `path` is below `/api/public/v1`. */
export function callApi(
  web: string,
  secret: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Exchange> {
  return send(`${web}/api/public/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, ...headers },
    ...(json === undefined ? {} : { json }),
  });
}

/** One request as it is: no cookies, no redirects. */
export async function send(
  url: string | URL,
  { method = 'GET', headers = {}, json, form }: RequestOptions = {},
): Promise<Exchange> {
  const response = await fetch(url, {
    method,
    headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    redirect: 'manual',
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  const text = await response.text();
  return {
    method,
    url: String(url),
    status: response.status,
    headers: response.headers,
    body: parseJson(text),
    text,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws Error when the answer has no such field */
function field({ method, url, status, body }: Exchange, name: string): string {
  const value = (body as Record<string, unknown> | null | undefined)?.[name];
  if (value === undefined || value === null) {
    throw new Error(`${method} ${url} answered ${status} without "${name}": ${JSON.stringify(body)}`);
  }
  return String(value);
}
