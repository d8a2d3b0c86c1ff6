import type { Capability } from './capabilities.ts';
import type { LogTopic } from './log-topics.ts';

/** What is the same in all cases of a kind; everything that differs by kind follows from this. */
export interface CaseKindEntry {
  /** Prefix of the ids of such cases. */
  readonly idPrefix: string;
  /** What one must hold to read them. */
  readonly reader: Capability;
  /** What one must hold to open, change or end them. */
  readonly writer: Capability;
  /** Whose block in the words of the operations has the words of the kind, as `case`: the operation that opens them. */
  readonly words: string;
  /** Whether such a case has an end of its own: `none`, `always`, or `some` of them. */
  readonly term: 'none' | 'some' | 'always';
  /** Who ends it when its time has come: `discord`, so that nothing remains to be done, or the `bot`. */
  readonly endedInTimeBy: 'discord' | 'bot' | null;
  /** How people end it before that: what was entered is removed, what is in force is lifted; null where nothing can. */
  readonly end: 'removed' | 'lifted' | null;
  /** Whether its target is told before it happens, because the bot may not reach them afterwards. */
  readonly toldBefore: boolean;
  /** The topic of its post in the log channel. */
  readonly log: LogTopic;
  /** The colour of that post while it is in force. */
  readonly colour: number;
}

/** The kinds of cases. The enum `CaseKind` of the database has the same names. */
export const CASE_KINDS = {
  strike: {
    idPrefix: 'str',
    reader: 'strikes.read',
    writer: 'strikes.write',
    words: 'strikes.add',
    term: 'none',
    endedInTimeBy: null,
    end: 'removed',
    toldBefore: false,
    log: 'strikes',
    colour: 0xe0a83c,
  },
  ban: {
    idPrefix: 'ban',
    reader: 'bans.read',
    writer: 'bans.write',
    words: 'bans.add',
    term: 'some',
    endedInTimeBy: 'bot',
    end: 'lifted',
    toldBefore: true,
    log: 'bans',
    colour: 0xd65454,
  },
  mute: {
    idPrefix: 'mut',
    reader: 'mutes.read',
    writer: 'mutes.write',
    words: 'mutes.add',
    term: 'always',
    endedInTimeBy: 'discord',
    end: 'lifted',
    toldBefore: false,
    log: 'mutes',
    colour: 0x4f8fd6,
  },
  warning: {
    idPrefix: 'wrn',
    reader: 'strikes.read',
    writer: 'strikes.write',
    words: 'warnings.add',
    term: 'none',
    endedInTimeBy: null,
    end: 'removed',
    toldBefore: false,
    log: 'strikes',
    colour: 0x7c8aa5,
  },
  kick: {
    idPrefix: 'kck',
    reader: 'bans.read',
    writer: 'bans.write',
    words: 'members.kick',
    term: 'none',
    endedInTimeBy: null,
    end: null,
    toldBefore: true,
    log: 'bans',
    colour: 0xd9774a,
  },
  /** A ban whose time is over at once: the machinery of bans lifts it. It is told and shown as what it is (Softbans). */
  softban: {
    idPrefix: 'sft',
    reader: 'bans.read',
    writer: 'bans.write',
    words: 'bans.soft',
    term: 'none',
    endedInTimeBy: 'bot',
    end: null,
    toldBefore: true,
    log: 'bans',
    colour: 0xd9774a,
  },
} as const satisfies Readonly<Record<string, CaseKindEntry>>;

export type CaseKind = keyof typeof CASE_KINDS;

export const CASE_KIND_NAMES = Object.keys(CASE_KINDS) as readonly CaseKind[];

/** The entry of a kind, where the code is the same for all kinds. */
export function caseKind(kind: CaseKind): CaseKindEntry {
  return CASE_KINDS[kind];
}

/** Where a case stands, as every list of cases says it: the key of its word. */
export type CaseState = 'onRecord' | 'inForce' | 'replaced' | 'expired' | 'lifted' | 'removed';

interface StandingCase<Time extends string | Date> {
  readonly kind: CaseKind;
  readonly active: boolean;
  readonly ended_at: Time | null;
  readonly expires_at: Time | null;
}

/** Where a case stands. The bot lifts a ban that has expired; for people it has expired. */
export function caseState<Time extends string | Date>(
  { kind, active, ended_at, expires_at }: StandingCase<Time>,
  isReplaced = false,
): CaseState {
  const { end } = caseKind(kind);
  if (end === null) return 'onRecord';
  if (active) return 'inForce';
  if (isReplaced) return 'replaced';
  return ended_at === null || (expires_at !== null && ended_at >= expires_at) ? 'expired' : end;
}

/** The kinds for which a guild can keep preset reasons. */
export const PRESET_KINDS = ['strike', 'mute', 'ban'] as const satisfies readonly CaseKind[];
export type PresetKind = (typeof PRESET_KINDS)[number];
