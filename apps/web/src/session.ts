import { findSession, type Session } from '@bailiff/engine/desk/sessions';
import type { Runtime } from './runtime.ts';

/** The name of a cookie of ours. With https, `__Host-` binds it to this host (RFC 6265bis §4.1.3.2). */
export function cookieName(dashboardUrl: string, name: string): string {
  return isSecure(dashboardUrl) ? `__Host-bailiff.${name}` : `bailiff.${name}`;
}

export function sessionCookieName(dashboardUrl: string): string {
  return cookieName(dashboardUrl, 'session');
}

export function isSecure(dashboardUrl: string): boolean {
  return dashboardUrl.startsWith('https:');
}

/** The value of one cookie in a `Cookie` header (RFC 6265 §4.2). */
export function cookieOf(header: string | null, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** The session of a request, from its cookie; null if nobody is signed in. It never reads `Authorization`. */
export async function sessionOf(
  { config, db }: Pick<Runtime, 'config' | 'db'>,
  headers: Headers,
): Promise<Session | null> {
  const value = cookieOf(headers.get('Cookie'), sessionCookieName(config.dashboardUrl));
  return value === undefined || value === '' ? null : findSession(db, value);
}
