import type { InputOf, OutputOf } from '@bailiff/core';
import { type Locale, lengthIn, type Translator, translator } from '@bailiff/messages';
import { fitting } from './fitting.ts';
import { endOf } from './locks.ts';
import { moment, quoted } from './text.ts';

const LONGEST_REASON = 80;

/** What Bailiff has locked. */
export function locksText(locale: Locale, { data, next_cursor }: OutputOf<'channels.locks'>): string {
  const t = translator(locale, 'chat');
  const lines = data.map(({ channel_id, locked_by, expires_at, reason }) =>
    t('inForce.locks.line', {
      where: channel_id === null ? t('inForce.locks.server') : `<#${channel_id}>`,
      ...endOf(expires_at),
      ...byWhom(locked_by, reason),
    }),
  );
  return listed(t, lines, t('inForce.locks.head'), t('inForce.locks.none'), next_cursor);
}

/** The slowmodes that end by themselves. */
export function slowmodesText(locale: Locale, { data, next_cursor }: OutputOf<'channels.slowmodes'>): string {
  const t = translator(locale, 'chat');
  const lines = data.map(({ channel_id, seconds, set_by, expires_at, reason }) =>
    t('inForce.slowmodes.line', {
      where: `<#${channel_id}>`,
      length: lengthIn(locale, seconds),
      end: endOf(expires_at).end,
      ...byWhom(set_by, reason),
    }),
  );
  return listed(t, lines, t('inForce.slowmodes.head'), t('inForce.slowmodes.none'), next_cursor);
}

/** The roles that members, or this one, have for a while. */
export function rolesText(
  locale: Locale,
  { data, next_cursor }: OutputOf<'roles.list'>,
  { user_id }: InputOf<'roles.list'>,
): string {
  const t = translator(locale, 'chat');
  const lines = data.map((given) =>
    t('inForce.roles.line', {
      who: `<@${given.user_id}>`,
      role: `<@&${given.role_id}>`,
      end: moment(given.expires_at, 'R'),
      ...byWhom(given.given_by, given.reason),
    }),
  );
  const none =
    user_id === undefined ? t('inForce.roles.none') : t('inForce.roles.noneOf', { who: `<@${user_id}>` });
  return listed(t, lines, t('inForce.roles.head'), none, next_cursor);
}

function byWhom(userId: string, reason: string | null): { by: string; reason: string } {
  return { by: `<@${userId}>`, reason: reason === null ? '' : ` ${quoted(reason, LONGEST_REASON)}` };
}

/** A list under its heading, as much of it as fits; `none` if it is empty. */
export function listed(
  t: Translator<'chat'>,
  lines: readonly string[],
  head: string,
  none: string,
  nextCursor: string | null,
): string {
  if (lines.length === 0) return none;
  return fitting(t, [head, ...lines], nextCursor === null ? [] : [t('inForce.more')]);
}
