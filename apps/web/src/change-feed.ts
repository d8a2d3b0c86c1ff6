import { auditEntries } from '@bailiff/engine/audit/audit-log';
import { type Attention, attentionFor, countAttention } from '@bailiff/engine/desk/attention';
import {
  type ChangeKind,
  type Listener,
  mayReceive,
  type Subscriber,
  subscribersOf,
} from '@bailiff/engine/desk/changes';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import { type AuditRow, auditRow } from './audit-row.ts';

/** A change in a guild, as PostgreSQL notifies it: the payload of NOTIFY on the channel `bailiff`. */
export interface ChangeNotification {
  readonly kind: ChangeKind;
  readonly guild_id: string;
  /** The id of the audit row, where the change is one; of a conversation that of its channel. */
  readonly id?: string;
  /** The people who hear of it, of a conversation: those who look at it and whom Discord shows its channel. */
  readonly user_ids?: readonly string[];
}

/** The event that is sent to an open page: what changed in the guild, as far as its viewer may see it. */
export interface ChangeEvent {
  readonly kinds: readonly ChangeKind[];
  /** New rows of the audit log, newest first. */
  readonly audit?: readonly AuditRow[];
  /** The channels of tickets in which something was written, edited or deleted, where that is a change. */
  readonly channels?: readonly string[];
  /** How many items wait for a decision now. */
  readonly attention?: Attention;
  /** More may have changed than this event names, so the page must be loaded again. */
  readonly missed?: true;
}

/** The event stream of an open page. */
export interface Stream extends Listener {
  readonly userId: string;
  send(text: string): void;
  end(): void;
}

/** Sends the changes of each guild to its open pages in this process. */
export interface ChangeFeed {
  /**
   * Sends a page the changes from now on, and an event with `missed` if the guild changed in the `ageMs` before, because
   * the page may have been rendered then. Returns a function that ends the subscription.
   */
  subscribe(stream: Stream, ageMs: number): () => void;
  /** How many streams of a person are open in this process. */
  streamsOf(userId: string): number;
  publish(change: ChangeNotification): void;
  /** Tells every page to load again, after the connection to PostgreSQL was lost. */
  publishMissed(): void;
  close(): void;
}

/** The open pages of one guild, and the changes to send them next. */
interface GuildSubscribers {
  readonly streams: Set<Stream>;
  kinds: Set<ChangeKind>;
  auditIds: Set<string>;
  /** Who hears of what was written, by its channel. */
  readers: Map<string, ReadonlySet<string>>;
  delivering: boolean;
  timer: NodeJS.Timeout | undefined;
  deliveredAt: number;
}

/** Changes within this time are sent as one event. */
const GATHER_MS = 100;
/** Bounds the reads of a busy guild to four a second, however many pages are open. */
const MIN_INTERVAL_MS = 250;
const MOST_ROWS = 100;
/** How often every page is checked, even without a change, because its session may have ended. */
const CHECK_MS = 60_000;
const HEARTBEAT_MS = 20_000;

/** Kinds that change {@link Attention}. */
const ATTENTION_KINDS: ReadonlySet<ChangeKind> = new Set([
  'action',
  'appeal',
  'approval',
  'case',
  'report',
  'server',
  'settings',
  'ticket',
  'token',
  'window',
]);

/**
 * A feed that reads each change once for all pages of this process. It reads the viewers' permissions with it, so that
 * nobody receives a change they may no longer see (decisions: Dashboard).
 */
export function createChangeFeed(db: Database, log: Logger): ChangeFeed {
  const subscribersByGuild = new Map<string, GuildSubscribers>();
  const changedAt = new Map<string, number>();

  const schedule = (guildId: string, subscribers: GuildSubscribers): void => {
    if (subscribers.delivering || subscribers.timer !== undefined) return;
    const wait = Math.max(GATHER_MS, subscribers.deliveredAt + MIN_INTERVAL_MS - performance.now());
    subscribers.timer = setTimeout(() => {
      subscribers.timer = undefined;
      subscribers.delivering = true;
      void deliver(guildId, subscribers).finally(() => {
        subscribers.delivering = false;
        subscribers.deliveredAt = performance.now();
        if (subscribers.kinds.size > 0) schedule(guildId, subscribers);
      });
    }, wait);
  };

  const deliver = async (guildId: string, subscribers: GuildSubscribers): Promise<void> => {
    const streams = [...subscribers.streams];
    const { kinds, auditIds, readers } = subscribers;
    subscribers.kinds = new Set();
    subscribers.auditIds = new Set();
    subscribers.readers = new Map();
    try {
      const [viewers, entries, counted] = await Promise.all([
        viewersByStream(db, streams),
        auditIds.size === 0 || auditIds.size > MOST_ROWS ? [] : auditEntries(db, guildId, [...auditIds]),
        [...kinds].some((kind) => ATTENTION_KINDS.has(kind)) ? countAttention(db, guildId) : null,
      ]);
      const missed = auditIds.size > MOST_ROWS ? ({ missed: true } as const) : {};
      const channelsFor = ({ userId }: Stream, viewer: Subscriber): string[] =>
        mayReceive('conversation', viewer)
          ? [...readers].filter(([, userIds]) => userIds.has(userId)).map(([id]) => id)
          : [];
      const eventFor = (viewer: Subscriber, channels: readonly string[]): ChangeEvent => ({
        kinds: [...kinds].filter((kind) =>
          kind === 'conversation' ? channels.length > 0 : mayReceive(kind, viewer),
        ),
        ...(entries.length > 0 && mayReceive('audit', viewer)
          ? { audit: entries.map((entry) => auditRow(entry, viewer)) }
          : {}),
        ...(channels.length > 0 ? { channels } : {}),
        ...(counted === null ? {} : { attention: attentionFor(counted, viewer) }),
        ...missed,
      });
      sendToEach(streams, viewers, { channelsFor, eventFor });
    } catch (error) {
      // Without the permissions nothing may be sent. The browsers reconnect and load the page again.
      log.warn({ err: error, guild_id: guildId }, 'open pages could not be notified of a change');
      for (const stream of streams) stream.end();
    }
  };

  const allStreams = () => [...subscribersByGuild.values()].flatMap(({ streams }) => [...streams]);
  const checkAll = async (): Promise<void> => {
    const streams = allStreams();
    if (streams.length === 0) return;
    try {
      sendToEach(streams, await viewersByStream(db, streams), null);
    } catch (error) {
      log.warn({ err: error }, 'the viewers of open pages could not be checked');
      for (const stream of streams) stream.end();
    }
  };
  const checking = setInterval(() => void checkAll(), CHECK_MS).unref();
  const beating = setInterval(() => {
    for (const stream of allStreams()) stream.send(': still here\n\n');
  }, HEARTBEAT_MS).unref();

  const missed = eventText({ kinds: [], missed: true });
  return {
    subscribe(stream, ageMs) {
      const { guildId } = stream;
      const subscribers = subscribersByGuild.get(guildId) ?? newSubscribers();
      subscribersByGuild.set(guildId, subscribers);
      subscribers.streams.add(stream);
      const changed = changedAt.get(guildId);
      if (ageMs > CHECK_MS || (changed !== undefined && performance.now() - changed <= ageMs))
        stream.send(missed);
      return () => {
        subscribers.streams.delete(stream);
        if (subscribers.streams.size > 0 || subscribersByGuild.get(guildId) !== subscribers) return;
        clearTimeout(subscribers.timer);
        subscribersByGuild.delete(guildId);
      };
    },
    streamsOf: (userId) => allStreams().filter((stream) => stream.userId === userId).length,
    publish({ kind, guild_id, id, user_ids }) {
      recordChange(changedAt, guild_id);
      const subscribers = subscribersByGuild.get(guild_id);
      if (subscribers === undefined) return;
      subscribers.kinds.add(kind);
      if (kind === 'audit' && id !== undefined && subscribers.auditIds.size <= MOST_ROWS)
        subscribers.auditIds.add(id);
      if (kind === 'conversation' && id !== undefined) subscribers.readers.set(id, new Set(user_ids));
      schedule(guild_id, subscribers);
    },
    publishMissed() {
      for (const stream of allStreams()) stream.send(missed);
    },
    close() {
      clearInterval(checking);
      clearInterval(beating);
      for (const stream of allStreams()) stream.end();
      for (const { timer } of subscribersByGuild.values()) clearTimeout(timer);
    },
  };
}

function newSubscribers(): GuildSubscribers {
  return {
    streams: new Set(),
    kinds: new Set(),
    auditIds: new Set(),
    readers: new Map(),
    delivering: false,
    timer: undefined,
    deliveredAt: Number.NEGATIVE_INFINITY,
  };
}

/** The viewer of each stream, null if they lost access. Read once per session and guild, however many pages are open. */
async function viewersByStream(
  db: Database,
  streams: readonly Stream[],
): Promise<Map<Stream, Subscriber | null>> {
  const listeners = new Map(streams.map((stream) => [`${stream.guildId} ${stream.sessionKey}`, stream]));
  const viewers = await subscribersOf(db, [...listeners.values()]);
  const byListener = new Map([...listeners.keys()].map((key, index) => [key, viewers[index] ?? null]));
  return new Map(
    streams.map((stream) => [stream, byListener.get(`${stream.guildId} ${stream.sessionKey}`) ?? null]),
  );
}

/** Sends each stream its event, if there is one, and ends the streams whose viewers lost access to the guild. */
function sendToEach(
  streams: readonly Stream[],
  viewers: ReadonlyMap<Stream, Subscriber | null>,
  told: {
    channelsFor: (stream: Stream, viewer: Subscriber) => readonly string[];
    eventFor: (viewer: Subscriber, channels: readonly string[]) => ChangeEvent;
  } | null,
): void {
  const texts = new Map<string, string>();
  for (const stream of streams) {
    const viewer = viewers.get(stream) ?? null;
    if (viewer === null) {
      stream.end();
      continue;
    }
    if (told === null) continue;
    const channels = told.channelsFor(stream, viewer);
    // Viewers with the same permissions get the same event, which is serialized once.
    const key = `${viewer.isOwner} ${viewer.capabilities.join()} ${channels.join()}`;
    const text = texts.get(key) ?? textToSend(told.eventFor(viewer, channels));
    texts.set(key, text);
    if (text !== '') stream.send(text);
  }
}

function textToSend(event: ChangeEvent): string {
  return event.kinds.length === 0 && event.missed === undefined ? '' : eventText(event);
}

function eventText(event: ChangeEvent): string {
  return `event: change\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Remembers for a minute when a guild changed, for pages that were rendered just before. */
function recordChange(changedAt: Map<string, number>, guildId: string): void {
  const now = performance.now();
  changedAt.delete(guildId); // so that the guild moves to the end and the oldest comes first
  changedAt.set(guildId, now);
  for (const [oldest, at] of changedAt) {
    if (now - at <= CHECK_MS) break;
    changedAt.delete(oldest);
  }
}
