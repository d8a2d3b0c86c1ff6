/** Events that have audit rows besides operations. */
export const EVENT_NAMES = [
  'servers.create',
  'servers.update',
  'servers.delete',
  'audit.export',
  'tokens.create',
  'tokens.renew',
  'tokens.rotate',
  'tokens.revoke',
  'tokens.update',
  'tokens.snooze',
  'tokens.remind',
  'windows.open',
  'windows.close',
  'approvals.decide',
  'device.authorize',
  'grants.update',
  'settings.update',
  'presets.create',
  'presets.update',
  'presets.delete',
  'escalation.update',
  'guilds.tier',
  'people.forget',
] as const;

export type EventName = (typeof EVENT_NAMES)[number];
