import { randomBytes } from 'node:crypto';
import { shownName } from '@bailiff/core';
import { endSession, findSession, findUser, keepUser, SESSION_SECONDS } from '@bailiff/engine/desk/sessions';
import { startSession } from '@bailiff/engine/desk/sign-ins';
import type { AuthOptions } from 'next-auth';
import type { Adapter, AdapterUser } from 'next-auth/adapters';
import type { OAuthConfig } from 'next-auth/providers/oauth';
import { avatarOf } from './avatar.ts';
import { ADDRESS_HEADER } from './http/headers.ts';
import type { Runtime } from './runtime.ts';
import { cookieName, cookieOf, isSecure, sessionCookieName } from './session.ts';

const SIGN_IN_PAGE = '/sign-in';
const DISCORD_TIMEOUT_MS = 8_000;

interface DiscordProfile {
  id: string;
  username: string;
  global_name: string | null;
  avatar: string | null;
}

/**
 * The next-auth handler of one request. Discord is the provider. Sessions are in our database, which has only a hash of
 * the cookie.
 */
export function authOptions(
  runtime: Pick<Runtime, 'config' | 'db' | 'engine' | 'log'>,
  request: Request,
): AuthOptions {
  const { config, log } = runtime;
  // next-auth gives it to this callback only, and makes the session afterwards.
  let accessToken = '';
  const before = cookieOf(request.headers.get('Cookie'), sessionCookieName(config.dashboardUrl));
  return {
    secret: config.nextAuthSecret,
    useSecureCookies: isSecure(config.dashboardUrl),
    providers: [discord(runtime)],
    adapter: adapter(runtime, request, { before, accessToken: () => accessToken }),
    session: {
      strategy: 'database',
      maxAge: SESSION_SECONDS,
      generateSessionToken: () => randomBytes(32).toString('base64url'),
    },
    cookies: cookies(config.dashboardUrl),
    pages: { signIn: SIGN_IN_PAGE, signOut: SIGN_IN_PAGE, error: SIGN_IN_PAGE, verifyRequest: SIGN_IN_PAGE },
    callbacks: {
      signIn: ({ account }) => {
        accessToken = account?.access_token ?? '';
        return true;
      },
      // next-auth's own throws for an address that nobody can read.
      redirect: ({ url, baseUrl }) => {
        const target = URL.parse(url, baseUrl);
        return target?.origin === baseUrl ? target.href : `${baseUrl}/`;
      },
      session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user.id } }),
    },
    logger: {
      error: (code, details) => log.warn({ code, reason: reasonOf(details) }, 'sign-in failed'),
      warn: (code) => log.warn({ code }, 'sign-in warning'),
      debug: () => {},
    },
  };
}

/** Whether somebody comes back from Discord without having signed in, of their own accord (RFC 6749, section 4.1.2.1). */
export function isCancelled({ pathname, searchParams }: URL): boolean {
  return pathname.endsWith('/callback/discord') && searchParams.get('error') === 'access_denied';
}

/** Our page for them: next-auth would speak of a failure. */
export function cancelledSignIn(dashboardUrl: string): URL {
  return new URL(`${SIGN_IN_PAGE}?error=cancelled`, dashboardUrl);
}

/** The longest time a sign-in may take, from our page to Discord's and back. */
export const SIGN_IN_SECONDS = 15 * 60;

/** The cookies of a sign-in and of a session. With https, no neighbouring host can set them. */
function cookies(dashboardUrl: string): NonNullable<AuthOptions['cookies']> {
  const secure = isSecure(dashboardUrl);
  const options = { httpOnly: true, sameSite: 'lax', path: '/', secure } as const;
  const ofSignIn = (name: string) => ({
    name: cookieName(dashboardUrl, name),
    options: { ...options, maxAge: SIGN_IN_SECONDS },
  });
  return {
    sessionToken: { name: sessionCookieName(dashboardUrl), options },
    csrfToken: { name: cookieName(dashboardUrl, 'csrf'), options },
    callbackUrl: { name: cookieName(dashboardUrl, 'callback'), options },
    pkceCodeVerifier: ofSignIn('pkce'),
    state: ofSignIn('state'),
  };
}

function discord({ config, db }: Pick<Runtime, 'config' | 'db'>): OAuthConfig<DiscordProfile> {
  const api = config.discordApiUrl;
  return {
    id: 'discord',
    name: 'Discord',
    type: 'oauth',
    clientId: config.discordClientId,
    clientSecret: config.discordClientSecret,
    authorization: { url: `${api}/oauth2/authorize`, params: { scope: 'identify' } },
    token: `${api}/oauth2/token`,
    userinfo: `${api}/v10/users/@me`,
    checks: ['pkce', 'state'],
    httpOptions: { timeout: DISCORD_TIMEOUT_MS },
    // The person is kept here: next-auth reads the profile at each sign-in, and later knows only the stored one.
    profile: async ({ id, username, global_name, avatar }) => {
      const image = avatarOf(id, avatar);
      const user = { id, name: shownName(global_name, username), image };
      await keepUser(db, user);
      return user;
    },
  };
}

/**
 * The next-auth adapter for users and sessions. It stores none of the provider's tokens but the one that is sealed to
 * the bot, until the bot has asked Discord whose the session is.
 * During a sign-in callback no session counts: an older cookie must not survive it or be linked to the new person.
 */
function adapter(
  { db, engine, log }: Pick<Runtime, 'db' | 'engine' | 'log'>,
  request: Request,
  signIn: { readonly before: string | undefined; readonly accessToken: () => string },
): Adapter {
  const isCallback = new URL(request.url).pathname.startsWith('/api/auth/callback/');
  return {
    getUserByAccount: async ({ providerAccountId }) => asAdapterUser(await findUser(db, providerAccountId)),
    createSession: async ({ sessionToken, userId }) => {
      const { before, accessToken } = signIn;
      const { endsAt, ended } = await startSession(engine, {
        userId,
        sessionToken,
        before,
        accessToken: accessToken(),
        browser: request.headers.get('User-Agent') ?? '',
        address: request.headers.get(ADDRESS_HEADER) ?? '',
      });
      // A session belongs to no guild, so no audit log has it.
      if (ended > 0) log.info({ user_id: userId, ended }, 'sessions ended');
      return { sessionToken, userId, expires: endsAt };
    },
    getSessionAndUser: async (sessionToken) => {
      const session = isCallback ? null : await findSession(db, sessionToken);
      const user = session && asAdapterUser({ id: session.userId, name: session.name, image: session.image });
      return session && user
        ? { session: { sessionToken, userId: user.id, expires: session.expiresAt }, user }
        : null;
    },
    // `findSession` writes when a session was last used.
    updateSession: () => null,
    deleteSession: (sessionToken) => endSession(db, sessionToken),
  };
}

function asAdapterUser(user: { id: string; name: string; image: string | null } | null): AdapterUser | null {
  return user && { ...user, email: '', emailVerified: null };
}

/** The error without the addresses and codes that next-auth's own log would contain. */
function reasonOf(details: unknown): string {
  if (details instanceof Error) return details.message;
  if (typeof details === 'object' && details !== null && 'error' in details) return reasonOf(details.error);
  return '';
}
