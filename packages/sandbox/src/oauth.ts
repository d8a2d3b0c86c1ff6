import { createHash, randomBytes } from 'node:crypto';
import { isObject } from './fields.ts';
import { escapeHtml } from './http.ts';
import type { User } from './model.ts';
import type { World } from './world.ts';

const ACCESS_LIFE_SECONDS = 604_800;
const CODE_LIFE_MS = 10 * 60_000;

interface Consent {
  readonly user: User;
  readonly scopes: readonly string[];
}

/** What somebody may do with an access token, and which application got it. */
export interface Grant extends Consent {
  readonly applicationId: string;
  readonly expiresAtMs: number;
}

interface Code extends Consent {
  readonly redirectUri: string;
  readonly expiresAtMs: number;
  readonly challenge: { readonly value: string; readonly method: string } | null;
}

type Answer = { status: number; body: unknown };
export type Page = { status: number; html: string } | { redirect: string };

/** Discord's OAuth2: the authorization-code grant with optional PKCE, refresh tokens, and a page to choose a person on. */
export class OAuth {
  readonly #world: World;
  readonly #clientId: string;
  readonly #clientSecret: string;
  readonly #codes = new Map<string, Code>();
  readonly #access = new Map<string, Grant>();
  readonly #refresh = new Map<string, Consent>();

  constructor(world: World, clientId: string, clientSecret: string) {
    this.#world = world;
    this.#clientId = clientId;
    this.#clientSecret = clientSecret;
  }

  /** Undefined for an access token that Discord did not give, took back, or whose time is over. */
  grantOf(accessToken: string): Grant | undefined {
    const grant = this.#access.get(accessToken);
    return grant !== undefined && grant.expiresAtMs > Date.now() ? grant : undefined;
  }

  /** An access token as an application gets it when somebody signs in there. */
  accessToken({ user, scopes }: Consent, applicationId = this.#clientId): string {
    const token = `sandbox-access-${randomBytes(18).toString('base64url')}`;
    const expiresAtMs = Date.now() + ACCESS_LIFE_SECONDS * 1_000;
    this.#access.set(token, { user, scopes, applicationId, expiresAtMs });
    return token;
  }

  /** `GET /oauth2/authorize`: the page with the people, or at once the redirect when `login_as` names one. */
  authorize(query: URLSearchParams): Page {
    const problem = this.#problemWith(query);
    if (problem !== null) return { status: 400, html: errorPage(problem) };
    const loginAs = query.get('login_as');
    if (loginAs === null) return { status: 200, html: this.#peoplePage(query) };
    if (loginAs === 'nobody') {
      return this.#back(query, { error: 'access_denied', error_description: 'The resource owner denied it' });
    }
    const user = this.#world.users.get(this.#world.people[loginAs] ?? loginAs);
    if (!user || user.bot) {
      return { status: 400, html: errorPage(`login_as names nobody who could sign in: ${loginAs}`) };
    }
    const code = randomBytes(15).toString('base64url');
    const challenge = query.get('code_challenge');
    this.#codes.set(code, {
      user,
      scopes: scopesOf(query),
      redirectUri: query.get('redirect_uri') ?? '',
      expiresAtMs: Date.now() + CODE_LIFE_MS,
      challenge:
        challenge === null
          ? null
          : { value: challenge, method: query.get('code_challenge_method') ?? 'plain' },
    });
    return this.#back(query, { code });
  }

  /** `POST /oauth2/token`. Errors are OAuth's own (RFC 6749 §5.2), not Discord's. */
  token(body: unknown, authorization: string | undefined): Answer {
    const form = isObject(body) ? body : {};
    if (!this.#isClient(form, authorization)) return { status: 401, body: { error: 'invalid_client' } };
    if (form.grant_type === 'refresh_token') {
      const grant = this.#refresh.get(String(form.refresh_token));
      if (!grant) return invalidGrant('Invalid "refresh_token" in request.');
      this.#refresh.delete(String(form.refresh_token));
      return this.#issue(grant);
    }
    if (form.grant_type !== 'authorization_code') {
      return { status: 400, body: { error: 'unsupported_grant_type' } };
    }
    const code = this.#codes.get(String(form.code));
    this.#codes.delete(String(form.code));
    if (!code || code.expiresAtMs < Date.now()) return invalidGrant('Invalid "code" in request.');
    if (code.redirectUri !== form.redirect_uri) return invalidGrant('Invalid "redirect_uri" in request.');
    if (code.challenge && !verifies(code.challenge, form.code_verifier)) {
      return invalidGrant('Invalid "code_verifier" in request.');
    }
    return this.#issue(code);
  }

  /** `POST /oauth2/token/revoke` */
  revoke(body: unknown, authorization: string | undefined): Answer {
    const form = isObject(body) ? body : {};
    if (!this.#isClient(form, authorization)) return { status: 401, body: { error: 'invalid_client' } };
    this.#access.delete(String(form.token));
    this.#refresh.delete(String(form.token));
    return { status: 200, body: {} };
  }

  #issue({ user, scopes }: Consent): Answer {
    const accessToken = this.accessToken({ user, scopes });
    const refreshToken = `sandbox-refresh-${randomBytes(18).toString('base64url')}`;
    this.#refresh.set(refreshToken, { user, scopes });
    return {
      status: 200,
      body: {
        token_type: 'Bearer',
        access_token: accessToken,
        expires_in: ACCESS_LIFE_SECONDS,
        refresh_token: refreshToken,
        scope: scopes.join(' '),
      },
    };
  }

  #isClient(form: Record<string, unknown>, authorization: string | undefined): boolean {
    const basic = /^Basic (.+)$/i.exec(authorization ?? '')?.[1];
    if (basic !== undefined) {
      const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':');
      return decodeURIComponent(id) === this.#clientId && decodeURIComponent(secret) === this.#clientSecret;
    }
    return form.client_id === this.#clientId && form.client_secret === this.#clientSecret;
  }

  #problemWith(query: URLSearchParams): string | null {
    if (query.get('client_id') !== this.#clientId) {
      return `client_id is ${query.get('client_id') ?? 'missing'}; this application is ${this.#clientId}.`;
    }
    if (query.get('response_type') !== 'code') return 'response_type must be "code".';
    const redirect = query.get('redirect_uri');
    if (redirect === null || !/^https?:\/\//.test(redirect) || !URL.canParse(redirect)) {
      return 'redirect_uri must be an absolute http or https address.';
    }
    if (new URL(redirect).hash !== '') return 'redirect_uri must not have a fragment.';
    if (scopesOf(query).length === 0) return 'scope is missing; ask for at least "identify".';
    return null;
  }

  #back(query: URLSearchParams, parameters: Record<string, string>): Page {
    const target = new URL(query.get('redirect_uri') ?? '');
    for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
    const state = query.get('state');
    if (state !== null) target.searchParams.set('state', state);
    return { redirect: target.toString() };
  }

  #peoplePage(query: URLSearchParams): string {
    const link = (id: string) => {
      const next = new URLSearchParams(query);
      next.set('login_as', id);
      return `?${escapeHtml(next.toString())}`;
    };
    const rows = Object.entries(this.#world.people).flatMap(([key, id]) => {
      const user = this.#world.users.get(id);
      if (!user) return [];
      const name = escapeHtml(user.globalName ?? user.username);
      return [
        `<li><a href="${link(id)}"><b>${name}</b><span>${escapeHtml(key.replaceAll('_', ' '))}</span></a></li>`,
      ];
    });
    const scopes = scopesOf(query).map(escapeHtml).join(', ');
    return document_(
      'Sign in',
      `<h1>Sign in to Bailiff as…</h1><p>This is the offline Discord; nobody is asked for a password. The application asks for: ${scopes}.</p>
<ul>${rows.join('')}</ul><p><a class="plain" href="${link('nobody')}">Cancel</a></p>`,
    );
  }
}

function scopesOf(query: URLSearchParams): string[] {
  return (query.get('scope') ?? '').split(/[ +]/).filter(Boolean);
}

function invalidGrant(description: string): Answer {
  return { status: 400, body: { error: 'invalid_grant', error_description: description } };
}

function verifies(challenge: { value: string; method: string }, verifier: unknown): boolean {
  if (typeof verifier !== 'string') return false;
  const derived =
    challenge.method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier;
  return derived === challenge.value;
}

function errorPage(problem: string): string {
  return document_('Cannot sign in', `<h1>Cannot sign in</h1><p>${escapeHtml(problem)}</p>`);
}

function document_(title: string, main: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · Sandbox</title><style>
:root{color-scheme:dark}body{margin:0;background:#1b1d22;color:#e6e8ec;font:16px/1.5 system-ui,sans-serif}
main{max-width:30rem;margin:0 auto;padding:2rem 1rem}h1{font-size:1.4rem}ul{list-style:none;padding:0;display:grid;gap:.4rem}
li a{display:flex;justify-content:space-between;gap:1rem;padding:.7rem 1rem;background:#26292f;border-radius:.4rem;color:inherit;text-decoration:none}
li a:hover,li a:focus-visible{background:#343841}li span{color:#a7adb8}.plain{color:#9db4ff}
</style></head><body><main>${main}</main></body></html>`;
}
