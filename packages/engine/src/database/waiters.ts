import type { ActionState } from '@bailiff/prisma';
import type { ActionRecord } from '#src/calls/actions.ts';

/**
 * The payload of NOTIFY when an action has ended, the target of a case was notified, a session was confirmed, or somebody
 * decided about a token, whose id is then the `request_id`.
 */
export interface ActionNotice {
  readonly kind: 'action' | 'case' | 'session' | 'consent';
  readonly request_id: string;
  readonly id?: string;
  /** How the action has ended, unless that is too long for a notification. */
  readonly state?: ActionState;
  readonly answer?: Pick<ActionRecord, 'result' | 'error'>;
}

/** The payload of NOTIFY with what Discord says of a person in a guild; null if they are not a member. */
export interface MemberNotice {
  readonly kind: 'member';
  readonly request_id: string;
  readonly member: Omit<FoundMember, 'user_id'> | null;
}

/** A member of a guild, as Discord found them by the beginning of a name. */
export interface FoundMember {
  readonly user_id: string;
  readonly username: string;
  readonly display_name: string;
  readonly avatar_hash: string | null;
  readonly bot: boolean;
  /** Null if they did not fit into the answer. */
  readonly role_ids: readonly string[] | null;
  readonly joined_at: string | null;
}

/** The payload of NOTIFY with the members of a guild whose names begin with a text; null if Discord did not say. */
export interface PeopleNotice {
  readonly kind: 'people';
  readonly request_id: string;
  readonly members: readonly FoundMember[] | null;
}

/** The payload of NOTIFY when the bot has tried to post a test in a channel: why it could not, or null. */
export interface ChannelNotice {
  readonly kind: 'channel';
  readonly request_id: string;
  readonly error: ActionRecord['error'];
}

/** The payload of NOTIFY when the bot has read a page of a guild's ban list: why it could not, or null. */
export interface BansNotice {
  readonly kind: 'bans';
  readonly request_id: string;
  readonly error: ActionRecord['error'];
}

/** The payload of NOTIFY when a game server has said who is online, or will not. */
export interface PlayersNotice {
  readonly kind: 'players';
  readonly request_id: string;
}

/** The payload of NOTIFY with a part of what stands in the channel of a ticket. The parts come in their order. */
export interface ConversationNotice {
  readonly kind: 'conversation';
  readonly request_id: string;
  /** How many parts there are. */
  readonly of: number;
  readonly data: string;
}

export type Notice =
  | ActionNotice
  | MemberNotice
  | PeopleNotice
  | ChannelNotice
  | BansNotice
  | PlayersNotice
  | ConversationNotice;

export interface Waiter {
  /** Resolves when the action's end was announced, when announcements may have been missed, or after `ms`. */
  within(ms: number): Promise<void>;
  /** The latest announcement. Null if there was none. */
  heard(): Notice | null;
  /** All announcements so far, in their order. */
  all(): readonly Notice[];
  /** Ends the present or the next `within`. */
  wake(): void;
  release(): void;
}

/** Callers that wait for their action to end. They register before they submit, so that they miss no announcement. */
export interface Waiters {
  /** @param requestId of the call to wait for. Several waiters may use the same one. */
  expect(requestId: string): Waiter;
  /** Call this with each notification from the database. */
  notify(notice: Notice): void;
  /** Call this after the listening connection was lost: every waiter then checks for itself. */
  wakeAll(): void;
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<(notice?: Notice) => void>>();
  return {
    expect(requestId) {
      let told = false;
      const heard: Notice[] = [];
      let resolveWait = () => {};
      const wake = (notice?: Notice) => {
        told = true;
        if (notice !== undefined) heard.push(notice);
        resolveWait();
      };
      const others = waiting.get(requestId) ?? new Set();
      waiting.set(requestId, others.add(wake));
      return {
        async within(ms) {
          if (!told && ms > 0) {
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, ms);
              resolveWait = () => {
                clearTimeout(timer);
                resolve();
              };
            });
          }
          told = false;
        },
        heard: () => heard.at(-1) ?? null,
        all: () => heard,
        wake: () => wake(),
        release: () => {
          others.delete(wake);
          if (others.size === 0) waiting.delete(requestId);
        },
      };
    },
    notify: (notice) => {
      for (const wake of waiting.get(notice.request_id) ?? []) wake(notice);
    },
    wakeAll: () => {
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}
