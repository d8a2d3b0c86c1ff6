import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header with the client's address, from `server.ts` to Next. */
export const ADDRESS_HEADER = 'x-bailiff-address';

/** The header with the path and query of a page, to return to after sign-in. */
export const PATH_HEADER = 'x-bailiff-path';

/** The header with the address of a proxy that is not trusted and should be; absent if there is none. */
export const PROXY_HEADER = 'x-bailiff-proxy';

/** The headers that only a proxy, Next or this server may set. A client that sends one forges it. */
const INTERNAL =
  /^(x-forwarded-|forwarded$|x-real-ip$|x-bailiff-|x-middleware-|x-invoke-|x-matched-path$|x-nextjs-(?!data$)|x-vercel-|x-prerender-|x-now-|content-security-policy$|x-nonce$)/;

/**
 * Conditions that a file may not fulfil, and parts that it may not have. Next renders a page for its answer, fails at
 * that and answers 500, for files that nobody counts. Without these headers the whole file is the answer (RFC 9110
 * §14.2), and what browsers ask about files stays: `If-None-Match`.
 */
const UNFULFILLABLE = /^(range|if-range|if-match|if-unmodified-since)$/;

/**
 * Removes forged internal headers from a request before Next sees it, and adds the real ones. Those that Next answers
 * wrongly are removed too.
 */
export function setInternalHeaders(
  message: IncomingMessage,
  { address, proxy, path, policy }: { address: string; proxy: string | null; path: string; policy: string },
): void {
  for (const name of Object.keys(message.headers)) {
    if (INTERNAL.test(name) || UNFULFILLABLE.test(name)) delete message.headers[name];
  }
  message.headers[ADDRESS_HEADER] = address;
  if (proxy !== null) message.headers[PROXY_HEADER] = proxy;
  message.headers[PATH_HEADER] = path;
  // Next reads the nonce for its scripts from here.
  message.headers['content-security-policy'] = policy;
}

/**
 * The Content Security Policy of a page. Components position themselves with style attributes, so these are allowed.
 * Scripts need the nonce of this answer. In development React needs `eval` for its stack traces.
 */
export function contentSecurityPolicy({ development }: { development: boolean }): string {
  const nonce = randomBytes(16).toString('base64');
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: https://cdn.discordapp.com",
    "connect-src 'self'",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The nonce in a Content Security Policy; undefined if it has none. */
export function nonceOf(policy: string | null): string | undefined {
  return policy?.match(/'nonce-([^']+)'/)?.[1];
}

const SECURITY_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'same-origin'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=()'],
] as const;
// Hosts below this one are not ours to bind.
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/** The headers of every answer, for pages and APIs alike, at an address. */
export function securityHeaders(origin: string): readonly (readonly [string, string])[] {
  return origin.startsWith('https:') ? [...SECURITY_HEADERS, STRICT_TRANSPORT] : SECURITY_HEADERS;
}
