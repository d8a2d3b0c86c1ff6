import type { InputOf, OutputOf } from '@bailiff/core';
import type { Translator } from '@bailiff/messages';

/** The operations that end what is in force before its time. */
type Ending =
  | 'channels.unlock'
  | 'channels.reopen'
  | 'channels.slowmode'
  | 'roles.end'
  | 'bans.undo'
  | 'mutes.undo';

/** The call that ends something; its dialog adds the reason. */
export type EndCall = {
  [N in Ending]: { readonly operation: N; readonly input: Omit<InputOf<N>, 'reason'> };
}[Ending];

/** Something that Bailiff set and that is in force. */
export interface Standing {
  readonly key: string;
  /** Null: until somebody ends it. */
  readonly until: string | null;
  /** Its time is over, and it could not be ended. */
  readonly isOverdue: boolean;
  readonly by: string;
  readonly since: string;
  readonly reason: string | null;
  readonly end: {
    readonly call: EndCall;
    readonly title: string;
    readonly done: string;
    /** What is said instead where nothing was taken back; absent where that cannot be. */
    readonly left?: string | undefined;
  };
}

type Words = Translator<'inForce'>;
type Names = Readonly<Record<string, string>>;

/** Ends are due within seconds. What is over for longer could not be ended. */
const OVERDUE_AFTER_MS = 60_000;

function isOver(until: string | null): boolean {
  return until !== null && Date.parse(until) < Date.now() - OVERDUE_AFTER_MS;
}

export function standingLock(
  t: Words,
  names: Names,
  { channel_id, locked_by, locked_at, expires_at, reason }: OutputOf<'channels.locks'>['data'][number],
): Standing {
  const where = channel_id === null ? t('server') : (names[channel_id] ?? channel_id);
  return {
    key: channel_id ?? 'guild',
    until: expires_at,
    isOverdue: isOver(expires_at),
    by: locked_by,
    since: locked_at,
    reason,
    end:
      channel_id === null
        ? { call: { operation: 'channels.reopen', input: {} }, title: t('reopen'), done: t('reopened') }
        : {
            call: { operation: 'channels.unlock', input: { channelId: channel_id } },
            title: t('unlock', { where }),
            done: t('unlocked', { where }),
          },
  };
}

export function standingSlowmode(
  t: Words,
  names: Names,
  slowmode: OutputOf<'channels.slowmodes'>['data'][number],
): Standing {
  const { channel_id, seconds_before, set_by, set_at, expires_at, reason } = slowmode;
  const where = names[channel_id] ?? channel_id;
  return {
    key: channel_id,
    until: expires_at,
    isOverdue: isOver(expires_at),
    by: set_by,
    since: set_at,
    reason,
    end: {
      call: { operation: 'channels.slowmode', input: { channel_id, slowmode_seconds: seconds_before } },
      title: t('restore', { where }),
      done: t('restored', { where }),
    },
  };
}

export function standingRole(
  t: Words,
  names: Names,
  { user_id, role_id, given_by, given_at, expires_at, reason }: OutputOf<'roles.list'>['data'][number],
): Standing {
  const [name, role] = [names[user_id] ?? user_id, names[role_id] ?? role_id];
  return {
    key: `${user_id}:${role_id}`,
    until: expires_at,
    isOverdue: isOver(expires_at),
    by: given_by,
    since: given_at,
    reason,
    end: {
      call: { operation: 'roles.end', input: { user_id, role_id } },
      title: t('takeBack', { role, name }),
      done: t('takenBack', { role, name }),
      left: t('roleLeft', { role, name }),
    },
  };
}
