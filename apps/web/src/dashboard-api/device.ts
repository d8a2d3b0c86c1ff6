import { type OAuthClients, showUnseen } from '@bailiff/core';
import {
  confirmDevice,
  denyDevice,
  findDevice,
  type WaitingDevice,
} from '@bailiff/engine/tokens/device-consent';
import { bodyOf, ConfirmDevice, DeviceCode } from './input.ts';
import { type DashboardRequest, json, type Route, requireFreshSignIn } from './route.ts';

/** The routes for consent in the device flow, used by the page `/device` (decisions: Device flow). */
export const deviceRoutes: readonly Route[] = [
  {
    // It counts wrong codes, so another site must not be able to cause it with a link.
    method: 'POST',
    path: '/api/device/lookup',
    handle: async ({ db, config }, request) => {
      const { user_code } = await bodyOf(request, DeviceCode);
      const device = await findDevice(db, entryOf(request), user_code);
      return json(200, deviceWire(device, config.oauthClients));
    },
  },
  {
    method: 'POST',
    path: '/api/device/confirm',
    handle: async ({ db }, request) => {
      const body = await bodyOf(request, ConfirmDevice);
      requireFreshSignIn(request);
      await confirmDevice(db, entryOf(request), body.user_code, {
        guildId: body.guild_id,
        name: body.name,
        capabilities: body.capabilities,
        expiresIn: body.expires_in,
        ipAllowlist: body.ip_allowlist,
      });
      return json(200, { state: 'authorized', guild_id: body.guild_id });
    },
  },
  {
    method: 'POST',
    path: '/api/device/deny',
    handle: async ({ db }, request) => {
      const { user_code } = await bodyOf(request, DeviceCode);
      await denyDevice(db, entryOf(request), user_code);
      return json(200, { state: 'denied' });
    },
  },
];

function entryOf({ call, session }: DashboardRequest) {
  return { ...call, sessionKey: session.key };
}

function deviceWire(device: WaitingDevice, clients: OAuthClients) {
  return {
    user_code: device.userCode,
    client_id: device.clientId,
    /** The name under which the client is registered. */
    client: clients.get(device.clientId) ?? device.clientId,
    /** What the client calls itself, with characters that nobody sees written out. Nobody has verified it. */
    claimed_name: device.clientName && showUnseen(device.clientName),
    scope: device.scope,
    token_name: device.tokenName,
    address: device.address,
    created_at: device.createdAt.toISOString(),
    expires_at: device.expiresAt.toISOString(),
    expires_in: Math.max(0, Math.floor((device.expiresAt.getTime() - Date.now()) / 1000)),
  };
}

/** A waiting client, as the page receives it. */
export type DeviceWire = ReturnType<typeof deviceWire>;
