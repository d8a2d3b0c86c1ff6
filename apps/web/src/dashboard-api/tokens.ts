import { mintToken } from '@bailiff/engine/tokens/mint';
import { listTokens, tokenWire } from '@bailiff/engine/tokens/token-view';
import {
  muteToken,
  renewToken,
  revokeToken,
  rotateToken,
  snoozeWarning,
  updateToken,
} from '@bailiff/engine/tokens/tokens';
import { closeWindow, currentWindow, openWindow, windowWire } from '@bailiff/engine/tokens/windows';
import { bodyOf, CreateToken, guildIdOf, RenewToken, RotateToken, UpdateToken } from './input.ts';
import { json, type Route, requireFreshSignIn } from './route.ts';

const TOKENS = '/api/api-tokens';
const TOKEN = `${TOKENS}/{tokenId}`;
const WINDOW = `${TOKEN}/reauth-window`;

/** The routes for tokens and their windows (decisions: Tokens in the dashboard; spec §4, re-auth window endpoints). */
export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: TOKENS,
    handle: async ({ db }, request) => {
      const tokens = await listTokens(db, request.session.userId, guildIdOf(request));
      return json(200, { data: tokens.map(tokenWire) });
    },
  },
  {
    method: 'POST',
    path: TOKENS,
    handle: async ({ db }, request) => {
      const body = await bodyOf(request, CreateToken);
      requireFreshSignIn(request);
      const { token, secret } = await mintToken(db, request.call, {
        guildId: body.guild_id,
        name: body.name,
        kind: body.kind,
        capabilities: body.capabilities,
        expiresIn: body.expires_in,
        ipAllowlist: body.ip_allowlist,
      });
      return json(201, { token: tokenWire(token), secret });
    },
  },
  {
    method: 'DELETE',
    path: TOKEN,
    handle: async ({ db }, request) =>
      json(200, { token: tokenWire(await revokeToken(db, request.call, tokenIdOf(request))) }),
  },
  {
    method: 'PATCH',
    path: TOKEN,
    handle: async ({ db }, request) => {
      const { name, ip_allowlist } = await bodyOf(request, UpdateToken);
      const token = await updateToken(db, request.call, tokenIdOf(request), {
        name,
        ipAllowlist: ip_allowlist,
      });
      return json(200, { token: tokenWire(token) });
    },
  },
  {
    method: 'POST',
    path: `${TOKEN}/renew`,
    handle: async ({ db }, request) => {
      const { expires_in } = await bodyOf(request, RenewToken);
      requireFreshSignIn(request);
      return json(200, {
        token: tokenWire(await renewToken(db, request.call, tokenIdOf(request), expires_in)),
      });
    },
  },
  {
    method: 'POST',
    path: `${TOKEN}/rotate`,
    handle: async ({ db }, request) => {
      const body = await bodyOf(request, RotateToken);
      requireFreshSignIn(request);
      const { token, secret } = await rotateToken(db, request.call, tokenIdOf(request), body);
      return json(200, { token: tokenWire(token), secret });
    },
  },
  {
    method: 'POST',
    path: `${TOKEN}/snooze-warning`,
    handle: async ({ db }, request) =>
      json(200, { token: tokenWire(await snoozeWarning(db, request.call, tokenIdOf(request))) }),
  },
  ...(
    [
      [`${TOKEN}/mute`, true],
      [`${TOKEN}/unmute`, false],
    ] as const
  ).map(
    ([path, muted]): Route => ({
      method: 'POST',
      path,
      handle: async ({ db }, request) =>
        json(200, { token: tokenWire(await muteToken(db, request.call, tokenIdOf(request), muted)) }),
    }),
  ),
  {
    method: 'GET',
    path: WINDOW,
    refusesBearer: true,
    handle: async ({ db }, request) =>
      json(200, windowWire(await currentWindow(db, request.session.userId, tokenIdOf(request)))),
  },
  {
    method: 'POST',
    path: WINDOW,
    refusesBearer: true,
    handle: async ({ db, config }, request) => {
      requireFreshSignIn(request);
      const window = await openWindow(db, request.call, tokenIdOf(request), config.reauthWindowMinutes);
      return json(200, windowWire(window));
    },
  },
  {
    method: 'DELETE',
    path: WINDOW,
    refusesBearer: true,
    handle: async ({ db }, request) => {
      await closeWindow(db, request.call, tokenIdOf(request));
      return json(200, windowWire(null));
    },
  },
];

function tokenIdOf({ params }: { params: Readonly<Record<string, string>> }): string {
  return params.tokenId ?? '';
}
