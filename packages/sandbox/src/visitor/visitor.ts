import { type Exchange, type RequestOptions, send } from './http.ts';
import { untilInTime } from './in-time.ts';

const MAX_REDIRECTS = 10;

/** A visitor of Bailiff's dashboard who keeps cookies per host, as a browser does. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /**
   * One request, with the cookies of its host; redirects are not followed. It is made again if a slow machine was too late
   * for it.
   */
  request(url: string | URL, options: RequestOptions = {}): Promise<Exchange> {
    return untilInTime(() => this.#requestOnce(url, options));
  }

  async #requestOnce(url: string | URL, options: RequestOptions): Promise<Exchange> {
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

/** @throws Error when the answer has no such field */
function field({ method, url, status, body }: Exchange, name: string): string {
  const value = (body as Record<string, unknown> | null | undefined)?.[name];
  if (value === undefined || value === null) {
    throw new Error(`${method} ${url} answered ${status} without "${name}": ${JSON.stringify(body)}`);
  }
  return String(value);
}
