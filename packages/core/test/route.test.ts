import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryOf, matchRoute, pathParams, pathTemplate, REST_OPERATION_NAMES } from '#src/index.ts';
import { anyCharacter, GUILD, SAMPLES } from '#src/testing-samples.ts';

test('every operation is found at its own method and path, with its parameters', () => {
  for (const name of REST_OPERATION_NAMES) {
    const input: Readonly<Record<string, unknown>> = SAMPLES[name];
    const params = Object.fromEntries(pathParams(name).map((param) => [param, String(input[param])]));
    const path = pathTemplate(name).replace(/\{(\w+)\}/g, (_, param) =>
      param === 'guildId' ? GUILD : String(params[param]),
    );
    expect(matchRoute(entryOf(name).http.method, path)).toEqual({
      kind: 'operation',
      name,
      params,
      guildId: pathTemplate(name).includes('{guildId}') ? GUILD : null,
    });
  }
});

test.each([
  ['HEAD', '/me', ['GET']],
  ['POST', '/me', ['GET']],
  ['get', '/me', ['GET']],
  ['PUT', '/guilds/1/bans', ['GET', 'POST']],
  ['POST', '/guilds/1/bans/2', ['DELETE', 'GET', 'PATCH']],
  ['GET', '/guilds/1/mass-purge', ['POST']],
  ['GET', '/guilds/1/mutes/2', ['DELETE', 'PATCH']],
])('%s %s is another method of a known path', (method, path, allow) => {
  expect(matchRoute(method, path)).toEqual({ kind: 'method', allow });
});

test.each([
  '',
  '/',
  'me',
  'xme',
  '/me/',
  '//me',
  '/Me',
  '/guilds',
  '/guilds/1',
  '/guilds/1/',
  '/guilds//bans',
  '/guilds/1/bans/',
  '/guilds/1/bans/2/3',
  '/guilds/1/tickets/2/steal',
  '/guilds/1/bans/%E0%A4%A',
  '/guilds/%/bans',
  '/guilds/1%2Fbans',
  '/bans',
  '/__proto__',
  '/constructor',
])('%j is unknown', (path) => {
  expect(matchRoute('GET', path)).toEqual({ kind: 'unknown' });
});

test('segments are percent-decoded once', () => {
  expect(matchRoute('GET', '/guilds/a%20b/bans/%252F%2F')).toEqual({
    kind: 'operation',
    name: 'bans.get',
    params: { userId: '%2F/' },
    guildId: 'a b',
  });
});

test('no path makes it throw', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'TRACE'),
      fc.string({ unit: anyCharacter }),
      (method, path) => {
        matchRoute(method, path);
        expect(['operation', 'method', 'unknown']).toContain(matchRoute(method, `/guilds/${path}`).kind);
      },
    ),
  );
});

test('no two operations share a method and a path', () => {
  const routes = REST_OPERATION_NAMES.map(
    (name) => `${entryOf(name).http.method} ${pathTemplate(name).replace(/\{\w+\}/g, '*')}`,
  );
  expect(new Set(routes).size).toBe(routes.length);
});
