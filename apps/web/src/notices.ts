import { auditEntries } from '@bailiff/engine/audit/audit-log';
import { type Attention, attentionFor, countAttention } from '@bailiff/engine/desk/attention';
import {
  type ChangeKind,
  type Hearer,
  hearersOf,
  type Listener,
  mayHear,
} from '@bailiff/engine/desk/changes';
import type { Database } from '@bailiff/prisma';
import type { Logger } from 'pino';
import { type AuditRow, auditRow } from './audit-row.ts';

/** Word from the database that something of a guild changed; the payload of NOTIFY on the channel `bailiff`. */
export interface Notice {
  readonly kind: ChangeKind;
  readonly guild_id: string;
  /** Of an audit row: its id. */
  readonly id?: string;
}

/** What open pages of a guild are told, each of what its viewer may see. */
export interface ChangeEvent {
  readonly kinds: readonly ChangeKind[];
  /** New rows of the audit log, newest first. */
  readonly audit?: readonly AuditRow[];
  /** How much waits for somebody now. */
  readonly attention?: Attention;
  /** More may have changed than is said. */
  readonly missed?: true;
}

/** An open page. */
export interface Stream extends Listener {
  say(text: string): void;
  end(): void;
}

/** The open pages of this process, by guild. */
export interface Notices {
  /**
   * Tells a page of what changes from now on, and of what changed in the `ageMs` before, when it may have been rendered.
   * Returns how to stop.
   */
  subscribe(stream: Stream, ageMs: number): () => void;
  streamsOf(sessionKey: string): number;
  tell(notice: Notice): void;
  /** The connection was away: everybody looks for themselves. */
  tellAllMissed(): void;
  close(): void;
}

interface Watch {
  readonly streams: Set<Stream>;
  kinds: Set<ChangeKind>;
  auditIds: Set<string>;
  delivering: boolean;
  timer: NodeJS.Timeout | undefined;
  deliveredAt: number;
}

/** Changes that come together are told together. */
const GATHER_MS = 100;
/** A guild in which much happens costs this process no more than four reads a second, however many look. */
const APART_MS = 250;
const MOST_ROWS = 100;
/** Who hears nothing for so long is asked about all the same: their session may have ended. */
const CHECK_MS = 60_000;
const HEARTBEAT_MS = 20_000;

/** Kinds that change {@link Attention}. */
const COUNTED: ReadonlySet<ChangeKind> = new Set([
  'action',
  'approval',
  'server',
  'settings',
  'ticket',
  'token',
  'window',
]);

/**
 * Each change is read once for all the pages of this process, together with who may still hear of it: nobody is told on the
 * strength of what they could do before (decisions: Dashboard).
 */
export function createNotices(db: Database, log: Logger): Notices {
  const watches = new Map<string, Watch>();
  const changedAt = new Map<string, number>();

  const schedule = (guildId: string, watch: Watch): void => {
    if (watch.delivering || watch.timer !== undefined) return;
    const wait = Math.max(GATHER_MS, watch.deliveredAt + APART_MS - performance.now());
    watch.timer = setTimeout(() => {
      watch.timer = undefined;
      watch.delivering = true;
      void deliver(guildId, watch).finally(() => {
        watch.delivering = false;
        watch.deliveredAt = performance.now();
        if (watch.kinds.size > 0) schedule(guildId, watch);
      });
    }, wait);
  };

  const deliver = async (guildId: string, watch: Watch): Promise<void> => {
    const streams = [...watch.streams];
    const { kinds, auditIds } = watch;
    watch.kinds = new Set();
    watch.auditIds = new Set();
    try {
      const [hearers, entries, counted] = await Promise.all([
        hearersByStream(db, streams),
        auditIds.size === 0 || auditIds.size > MOST_ROWS ? [] : auditEntries(db, guildId, [...auditIds]),
        [...kinds].some((kind) => COUNTED.has(kind)) ? countAttention(db, guildId) : null,
      ]);
      const audit = entries.map(auditRow);
      const missed = auditIds.size > MOST_ROWS ? ({ missed: true } as const) : {};
      const eventFor = (hearer: Hearer): ChangeEvent => ({
        kinds: [...kinds].filter((kind) => mayHear(kind, hearer)),
        ...(audit.length > 0 && mayHear('audit', hearer) ? { audit } : {}),
        ...(counted === null ? {} : { attention: attentionFor(counted, hearer) }),
        ...missed,
      });
      tellEach(streams, hearers, eventFor);
    } catch (error) {
      // What cannot be checked is not told. The browsers come back by themselves and look again.
      log.warn({ err: error, guild_id: guildId }, 'open pages could not be told of a change');
      for (const stream of streams) stream.end();
    }
  };

  const all = () => [...watches.values()].flatMap(({ streams }) => [...streams]);
  const checkAll = async (): Promise<void> => {
    const streams = all();
    if (streams.length === 0) return;
    try {
      tellEach(streams, await hearersByStream(db, streams), null);
    } catch (error) {
      log.warn({ err: error }, 'it could not be looked who may still see the open pages');
      for (const stream of streams) stream.end();
    }
  };
  const checking = setInterval(() => void checkAll(), CHECK_MS).unref();
  const beating = setInterval(() => {
    for (const stream of all()) stream.say(': still here\n\n');
  }, HEARTBEAT_MS).unref();

  const missed = eventText({ kinds: [], missed: true });
  return {
    subscribe(stream, ageMs) {
      const { guildId } = stream;
      const watch = watches.get(guildId) ?? newWatch();
      watches.set(guildId, watch);
      watch.streams.add(stream);
      const changed = changedAt.get(guildId);
      if (ageMs > CHECK_MS || (changed !== undefined && performance.now() - changed <= ageMs))
        stream.say(missed);
      return () => {
        watch.streams.delete(stream);
        if (watch.streams.size > 0 || watches.get(guildId) !== watch) return;
        clearTimeout(watch.timer);
        watches.delete(guildId);
      };
    },
    streamsOf: (sessionKey) => all().filter((stream) => stream.sessionKey === sessionKey).length,
    tell({ kind, guild_id, id }) {
      noteChange(changedAt, guild_id);
      const watch = watches.get(guild_id);
      if (watch === undefined) return;
      watch.kinds.add(kind);
      if (kind === 'audit' && id !== undefined && watch.auditIds.size <= MOST_ROWS) watch.auditIds.add(id);
      schedule(guild_id, watch);
    },
    tellAllMissed() {
      for (const stream of all()) stream.say(missed);
    },
    close() {
      clearInterval(checking);
      clearInterval(beating);
      for (const stream of all()) stream.end();
      for (const { timer } of watches.values()) clearTimeout(timer);
    },
  };
}

function newWatch(): Watch {
  return {
    streams: new Set(),
    kinds: new Set(),
    auditIds: new Set(),
    delivering: false,
    timer: undefined,
    deliveredAt: Number.NEGATIVE_INFINITY,
  };
}

/** Asked once for each session and guild, however many pages they have open. */
async function hearersByStream(
  db: Database,
  streams: readonly Stream[],
): Promise<Map<Stream, Hearer | null>> {
  const listeners = new Map(streams.map((stream) => [`${stream.guildId} ${stream.sessionKey}`, stream]));
  const hearers = await hearersOf(db, [...listeners.values()]);
  const byListener = new Map([...listeners.keys()].map((key, index) => [key, hearers[index] ?? null]));
  return new Map(
    streams.map((stream) => [stream, byListener.get(`${stream.guildId} ${stream.sessionKey}`) ?? null]),
  );
}

/** Ends the pages of those who have no part in the guild any more, and tells the others, if there is something to tell. */
function tellEach(
  streams: readonly Stream[],
  hearers: ReadonlyMap<Stream, Hearer | null>,
  eventFor: ((hearer: Hearer) => ChangeEvent) | null,
): void {
  const texts = new Map<string, string>();
  for (const stream of streams) {
    const hearer = hearers.get(stream) ?? null;
    if (hearer === null) {
      stream.end();
      continue;
    }
    if (eventFor === null) continue;
    // Who may do the same is told the same, which is put into words once.
    const key = `${hearer.isOwner} ${hearer.capabilities.join()}`;
    const text = texts.get(key) ?? wordsOfEvent(eventFor(hearer));
    texts.set(key, text);
    if (text !== '') stream.say(text);
  }
}

function wordsOfEvent(event: ChangeEvent): string {
  return event.kinds.length === 0 && event.missed === undefined ? '' : eventText(event);
}

function eventText(event: ChangeEvent): string {
  return `event: change\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Remembers for a minute which guilds changed, for pages that were rendered just before. */
function noteChange(changedAt: Map<string, number>, guildId: string): void {
  const now = performance.now();
  changedAt.delete(guildId); // to the end: the oldest is the first
  changedAt.set(guildId, now);
  for (const [oldest, at] of changedAt) {
    if (now - at <= CHECK_MS) break;
    changedAt.delete(oldest);
  }
}
