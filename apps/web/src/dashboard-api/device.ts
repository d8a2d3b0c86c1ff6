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
    handle: async ({ db }, request) => {
      const { user_code } = await bodyOf(request, DeviceCode);
      return json(200, deviceWire(await findDevice(db, entryOf(request), user_code)));
    },
  },
  {
    method: 'POST',
    path: '/api/device/confirm',
    handle: async ({ db }, request) => {
      const { user_code, guild_id } = await bodyOf(request, ConfirmDevice);
      requireFreshSignIn(request);
      await confirmDevice(db, entryOf(request), user_code, guild_id);
      return json(200, { state: 'authorized', guild_id });
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

function deviceWire(device: WaitingDevice) {
  return {
    user_code: device.userCode,
    client_id: device.clientId,
    client_name: device.clientName,
    address: device.address,
    created_at: device.createdAt.toISOString(),
    expires_at: device.expiresAt.toISOString(),
    expires_in: Math.max(0, Math.floor((device.expiresAt.getTime() - Date.now()) / 1000)),
  };
}

/** A waiting client, as the page receives it. */
export type DeviceWire = ReturnType<typeof deviceWire>;
