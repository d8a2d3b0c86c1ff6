// What Next and the pages are told by the server in front of them, and by nobody else.
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import {
  ADDRESS_HEADER,
  contentSecurityPolicy,
  nonceOf,
  PATH_HEADER,
  PROXY_HEADER,
  securityHeaders,
  setInternalHeaders,
} from '#src/http/headers.ts';

/** The headers of a request as Next sees them. */
function passed(sent: Record<string, string>, proxy: string | null = null) {
  const message = new IncomingMessage(new Socket());
  Object.assign(message.headers, sent);
  setInternalHeaders(message, { address: '192.0.2.7', proxy, path: '/guilds/1', policy: 'default-src' });
  return message.headers;
}

const SET = {
  [ADDRESS_HEADER]: '192.0.2.7',
  [PATH_HEADER]: '/guilds/1',
  'content-security-policy': 'default-src',
};

test('what a client says for the server in front reaches no page', () => {
  const forged = [
    ...[ADDRESS_HEADER, PATH_HEADER, PROXY_HEADER, 'x-bailiff-anything'],
    ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip'],
    ...['x-middleware-subrequest', 'x-middleware-rewrite', 'x-invoke-path', 'x-matched-path'],
    ...['x-nextjs-rewrite', 'x-vercel-id', 'x-prerender-revalidate', 'x-now-route-matches', 'x-nonce'],
    'content-security-policy',
  ];
  expect(passed(Object.fromEntries(forged.map((name) => [name, 'forged'])))).toEqual(SET);
});

test('what a browser sends for itself stays, and a forgotten proxy is named', () => {
  const own = { cookie: 'a=1', rsc: '1', 'x-nextjs-data': '1', 'user-agent': 'x', forwardedness: '1' };
  expect(passed(own, '10.0.0.9')).toEqual({ ...own, ...SET, [PROXY_HEADER]: '10.0.0.9' });
});

test('parts of a file and conditions that Next answers with 500 do not reach it', () => {
  verifies('limits.files-whole');
  const asked = {
    range: 'bytes=999999999-',
    'if-range': '"x"',
    'if-match': '"x"',
    'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT',
  };
  const kept = { 'if-none-match': '"x"', 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' };
  expect(passed({ ...asked, ...kept })).toEqual({ ...kept, ...SET });
});

test('a page loads only from its own address and pictures of Discord, sends forms nowhere else, and is framed by nobody', () => {
  const policy = contentSecurityPolicy({ development: false });
  expect(policy.replaceAll(`'nonce-${nonceOf(policy)}'`, 'NONCE').split('; ')).toEqual([
    "default-src 'self'",
    "script-src 'self' NONCE 'strict-dynamic'",
    "style-src 'self' NONCE",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: https://cdn.discordapp.com",
    "connect-src 'self'",
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]);
});

test('every answer keeps its address from other sites, and shares no window, camera or place with them', () => {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
  expect(Object.fromEntries(securityHeaders('http://bailiff.test'))).toEqual(headers);
  expect(Object.fromEntries(securityHeaders('https://bailiff.test'))).toEqual({
    ...headers,
    'Strict-Transport-Security': 'max-age=31536000',
  });
});
