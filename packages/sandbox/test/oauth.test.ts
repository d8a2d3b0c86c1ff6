import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { idOf, sandboxForFile } from './rig.ts';

const sandbox = sandboxForFile();
const REDIRECT = 'http://localhost:3000/api/auth/callback/discord';

function authorizeUrl(extra: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: sandbox.get().clientId,
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'identify email guilds',
    state: 'st&te',
    ...extra,
  });
  return `${sandbox.get().apiUrl}/oauth2/authorize?${query}`;
}

async function codeFor(person: string, extra: Record<string, string> = {}): Promise<URL> {
  const answer = await fetch(authorizeUrl({ login_as: idOf(sandbox.get().people, person), ...extra }), {
    redirect: 'manual',
  });
  expect(answer.status).toBe(302);
  return new URL(answer.headers.get('location') ?? '');
}

async function exchange(fields: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(`${sandbox.get().apiUrl}/oauth2/token`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ grant_type: 'authorization_code', redirect_uri: REDIRECT, ...fields }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const secretInBody = () => ({ client_id: sandbox.get().clientId, client_secret: sandbox.get().clientSecret });

describe('signing in', () => {
  it('lists the people and redirects with code and state', async () => {
    const page = await (await fetch(authorizeUrl())).text();
    for (const name of ['Mira Voss', 'Juno Okafor', 'Stray Cat']) expect(page).toContain(name);
    const target = await codeFor('moderator');
    expect(target.searchParams.get('state')).toBe('st&te');
    expect(`${target.origin}${target.pathname}`).toBe(REDIRECT);
  });

  it('gives a token for the code, once, and the token shows the person and their guilds', async () => {
    const code = (await codeFor('owner')).searchParams.get('code') ?? '';
    const first = await exchange({ code, ...secretInBody() });
    expect(first.body).toMatchObject({ token_type: 'Bearer', scope: 'identify email guilds' });
    const second = await exchange({ code, ...secretInBody() });
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
    const headers = { authorization: `Bearer ${first.body.access_token}` };
    for (const base of [sandbox.get().apiUrl, `${sandbox.get().apiUrl}/v10`]) {
      const me = await (await fetch(`${base}/users/@me`, { headers })).json();
      expect(me).toMatchObject({
        id: idOf(sandbox.get().people, 'owner'),
        email: 'mira.voss@people.example',
      });
    }
    const guilds = await (await fetch(`${sandbox.get().apiUrl}/users/@me/guilds`, { headers })).json();
    expect(guilds).toMatchObject([{ id: sandbox.get().guildId, owner: true }]);
    const asBot = await fetch(`${sandbox.get().apiUrl}/guilds/${sandbox.get().guildId}`, { headers });
    expect(asBot.status).toBe(401);
  });

  it('gives a token that says whose it is, of which application, and until when', async () => {
    const ask = async (authorization: string) => {
      const answer = await fetch(`${sandbox.get().apiUrl}/v10/oauth2/@me`, { headers: { authorization } });
      return { status: answer.status, body: await answer.json() };
    };
    const owner = idOf(sandbox.get().people, 'owner');
    const token = sandbox.get().accessToken(owner);
    const own = await ask(`Bearer ${token}`);
    expect(own.body).toMatchObject({
      application: { id: sandbox.get().clientId },
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
      scopes: ['identify'],
      user: { id: owner },
    });
    const other = await ask(`Bearer ${sandbox.get().accessToken(owner, '300000000000000000')}`);
    expect(other.body).toMatchObject({ application: { id: '300000000000000000' }, user: { id: owner } });
    expect((await ask(`Bot ${sandbox.get().botToken}`)).status).toBe(401);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 604_800_000 + 1_000 });
    try {
      expect((await ask(`Bearer ${token}`)).status).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  it('gives nothing for a code that is older than ten minutes', async () => {
    const code = (await codeFor('owner')).searchParams.get('code') ?? '';
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10 * 60_000 + 1_000 });
    try {
      const late = await exchange({ code, ...secretInBody() });
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('takes the client by Basic authentication and checks PKCE', async () => {
    const verifier = 'v'.repeat(50);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const basic = Buffer.from(`${sandbox.get().clientId}:${sandbox.get().clientSecret}`).toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    const right = (await codeFor('helper', pkce)).searchParams.get('code') ?? '';
    expect((await exchange({ code: right, code_verifier: verifier }, headers)).status).toBe(200);
    const wrong = (await codeFor('helper', pkce)).searchParams.get('code') ?? '';
    expect((await exchange({ code: wrong, code_verifier: 'x'.repeat(50) }, headers)).status).toBe(400);
  });

  it('refuses a wrong client, secret, redirect address, response type and person', async () => {
    for (const extra of [
      { client_id: '1' },
      { response_type: 'token' },
      { redirect_uri: 'javascript:alert(1)' },
      { login_as: '123456789012345678' },
    ]) {
      const answer = await fetch(authorizeUrl(extra), { redirect: 'manual' });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('location')).toBeNull();
    }
    const code = (await codeFor('owner')).searchParams.get('code') ?? '';
    const wrongSecret = await exchange({ code, client_id: sandbox.get().clientId, client_secret: 'no' });
    expect([wrongSecret.status, wrongSecret.body.error]).toEqual([401, 'invalid_client']);
    const elsewhere = await exchange({ code, ...secretInBody(), redirect_uri: 'http://elsewhere.example/' });
    expect(elsewhere.status).toBe(400);
  });

  it('is renewed once with each refresh token, and ends when it is given back', async () => {
    const code = (await codeFor('owner')).searchParams.get('code') ?? '';
    const first = (await exchange({ code, ...secretInBody() })).body;
    const renew = () =>
      exchange({
        grant_type: 'refresh_token',
        refresh_token: String(first.refresh_token),
        ...secretInBody(),
      });
    const renewed = await renew();
    expect(renewed.body).toMatchObject({ token_type: 'Bearer', scope: 'identify email guilds' });
    const again = await renew();
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    const token = String(renewed.body.access_token);
    const me = async () =>
      (await fetch(`${sandbox.get().apiUrl}/users/@me`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect(await me()).toBe(200);
    const given = await fetch(`${sandbox.get().apiUrl}/oauth2/token/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token, ...secretInBody() }),
    });
    expect(given.status).toBe(200);
    expect(await me()).toBe(401);
  });

  it('shows nobody as a member of a guild without the scope for it', async () => {
    const member = async (scope: string) => {
      const code = (await codeFor('owner', { scope })).searchParams.get('code') ?? '';
      const { access_token } = (await exchange({ code, ...secretInBody() })).body;
      const path = `/users/@me/guilds/${sandbox.get().guildId}/member`;
      const headers = { authorization: `Bearer ${access_token}` };
      return (await fetch(`${sandbox.get().apiUrl}${path}`, { headers })).status;
    };
    expect(await member('identify guilds')).toBe(401);
    expect(await member('identify guilds guilds.members.read')).toBe(200);
  });
});
