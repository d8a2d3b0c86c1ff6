import type { OutputOf } from '@bailiff/core';
import { type Locale, lengthIn, translator } from '@bailiff/messages';
import { moment } from './text.ts';

/** How many of the roles and channels that stay open are named. */
const MOST_NAMED = 15;

/** The arguments of a message that say when something ends by itself. */
export function endOf(expiresAt: string | null): { ends: 'yes' | 'no'; end: string } {
  return expiresAt === null ? { ends: 'no', end: '' } : { ends: 'yes', end: moment(expiresAt, 'R') };
}

export function slowmodeText(
  locale: Locale,
  { channel_id, seconds, expires_at }: OutputOf<'channels.slowmode'>['slowmode'],
): string {
  return translator(locale, 'operations')('channels.slowmode.done', {
    channel: `<#${channel_id}>`,
    off: seconds === 0 ? 'yes' : 'no',
    length: lengthIn(locale, seconds),
    ...endOf(expires_at),
  });
}

export function lockText(
  locale: Locale,
  { channel_id, expires_at }: OutputOf<'channels.lock'>['lock'],
): string {
  const channel = `<#${channel_id}>`;
  return translator(locale, 'operations')('channels.lock.done', { channel, ...endOf(expires_at) });
}

export function roleText(
  locale: Locale,
  { user_id, role_id, expires_at }: OutputOf<'roles.give'>['role'],
): string {
  return translator(locale, 'operations')('roles.give.done', {
    user: `<@${user_id}>`,
    role: `<@&${role_id}>`,
    end: moment(expires_at, 'R'),
  });
}

/** Also names the roles and channels that the lock does not reach. */
export function lockdownText(
  locale: Locale,
  { lock, still_open: { role_ids, channel_ids } }: OutputOf<'channels.lockdown'>,
): string {
  const named = [...role_ids.map((id) => `<@&${id}>`), ...channel_ids.map((id) => `<#${id}>`)];
  const shown = named.slice(0, MOST_NAMED);
  return translator(locale, 'operations')('channels.lockdown.done', {
    ...endOf(lock.expires_at),
    open: named.length === 0 ? 'no' : 'yes',
    list: [...shown, ...(named.length > shown.length ? ['…'] : [])].join(', '),
  });
}
