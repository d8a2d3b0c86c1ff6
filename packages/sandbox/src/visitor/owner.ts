import type { Exchange } from './http.ts';
import { Visitor } from './visitor.ts';

export interface MintedToken {
  id: string;
  name: string;
  secret: string;
}

/** The guild's owner at the dashboard's API: signed in, and sending from the dashboard's own origin. */
export class Owner {
  readonly #web: string;
  readonly #visitor = new Visitor();

  static async signIn(web: string, userId: string): Promise<Owner> {
    const owner = new Owner(web);
    await owner.#visitor.signIn(web, userId);
    return owner;
  }

  private constructor(web: string) {
    this.#web = web;
  }

  request(method: string, path: string, json?: unknown): Promise<Exchange> {
    return this.#visitor.request(`${this.#web}${path}`, {
      method,
      headers: { origin: new URL(this.#web).origin },
      ...(json === undefined ? {} : { json }),
    });
  }

  /** A request that what comes next builds on. @throws Error when the dashboard refuses */
  async change(method: string, path: string, json?: unknown): Promise<Exchange> {
    const exchange = await this.request(method, path, json);
    const { status, text } = exchange;
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
    return exchange;
  }

  session(): Promise<Exchange> {
    return this.request('GET', '/api/auth/session');
  }

  mint(guildId: string, name: string): Promise<Exchange> {
    return this.request('POST', '/api/api-tokens', { guild_id: guildId, name, kind: 'rest' });
  }

  openWindow(tokenId: string): Promise<Exchange> {
    return this.request('POST', `/api/api-tokens/${tokenId}/reauth-window`);
  }

  closeWindow(tokenId: string): Promise<Exchange> {
    return this.request('DELETE', `/api/api-tokens/${tokenId}/reauth-window`);
  }

  revoke(tokenId: string): Promise<Exchange> {
    return this.request('DELETE', `/api/api-tokens/${tokenId}`);
  }

  /** A token with an open window. @throws Error when the dashboard refuses */
  async mintWithWindow(guildId: string, name: string): Promise<MintedToken> {
    const minted = await this.mint(guildId, name);
    if (minted.status !== 201) throw new Error(`No token was minted: ${JSON.stringify(minted.body)}`);
    const { token, secret } = minted.body as { token: { id: string }; secret: string };
    const opened = await this.openWindow(token.id);
    if (opened.status !== 200) throw new Error(`No window was opened: ${JSON.stringify(opened.body)}`);
    return { id: token.id, name, secret };
  }
}
