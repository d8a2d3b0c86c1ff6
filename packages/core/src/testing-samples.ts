import fc from 'fast-check';
import { type InputOf, OPERATION_NAMES, type OperationName, RCON_COMMAND_BYTES } from '#src/index.ts';

export const GUILD = '900000000000000001';
export const USER = '100000000000000001';
export const CHANNEL = '200000000000000001';
export const STRIKE = 'str_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
export const SERVER = 'srv_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
export const TICKET = 'tkt_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
export const NOTE = 'not_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';
export const ACTION = 'act_0190b7c44a3c7d3a9c3f2f6f0e8a1b2c';

/** A right input of every operation, the destructive kind where there are two. */
export const SAMPLES: { [N in OperationName]: InputOf<N> } = {
  me: {},
  'strikes.list': { limit: 50 },
  'strikes.get': { strikeId: STRIKE },
  'strikes.add': { user_id: USER, reason: 'griefing', severity: 'minor' },
  'strikes.remove': { strikeId: STRIKE },
  'bans.list': { limit: 50 },
  'bans.get': { userId: USER },
  'bans.add': { user_id: USER, reason: 'spam' },
  'bans.lift': { userId: USER },
  'mutes.list': { limit: 50 },
  'mutes.add': { user_id: USER, duration_minutes: 2880, reason: 'insults' },
  'mutes.lift': { userId: USER },
  'tickets.list': { limit: 50 },
  'tickets.get': { ticketId: TICKET },
  'tickets.claim': { ticketId: TICKET },
  'tickets.unclaim': { ticketId: TICKET },
  'tickets.open': { subject: 'My house was griefed' },
  'tickets.close': { ticket_id: TICKET },
  'tickets.panel': { channel_id: CHANNEL },
  'messages.purge': { channel_id: CHANNEL, count: 25, include_pinned: false },
  'servers.list': { limit: 50 },
  'servers.rcon': { serverId: SERVER, command: 'say hello' },
  'rules.get': {},
  'members.get': { userId: USER },
  'members.self': {},
  'cases.get': { number: 12 },
  'cases.list': { user_id: USER },
  'notes.list': { user_id: USER },
  'notes.add': { user_id: USER, text: 'Has a second account' },
  'notes.remove': { user_id: USER, note_id: NOTE },
  'audit.list': { limit: 50 },
  'actions.get': { actionId: ACTION },
};

export const snowflake = fc.stringMatching(/^[1-9]\d{16,19}$/);
const prefixed = (prefix: string) => fc.stringMatching(/^[0-9a-f]{32}$/).map((body) => `${prefix}_${body}`);
const words = (most: number) => fc.string({ minLength: 1, maxLength: most, unit: 'grapheme-ascii' });
const reason = words(512);
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const moment = fc
  .date({ min: new Date('2015-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

const INPUTS: { readonly [N in OperationName]?: fc.Arbitrary<object> } = {
  'strikes.add': fc.record({
    user_id: snowflake,
    player_name: some(words(64)),
    in_game_id: some(words(64)),
    reason,
    category: some(words(64)),
    severity: fc.constantFrom('minor', 'major'),
  }),
  'strikes.remove': fc.record({ strikeId: prefixed('str'), reason: some(reason) }),
  'bans.add': fc.record({
    user_id: snowflake,
    reason,
    duration_minutes: some(fc.integer({ min: 1, max: 525_600 })),
    delete_message_seconds: some(fc.integer({ min: 0, max: 604_800 })),
  }),
  'bans.lift': fc.record({ userId: snowflake, reason: some(reason) }),
  'mutes.add': fc.record({
    user_id: snowflake,
    duration_minutes: fc.integer({ min: 1441, max: 525_600 }),
    reason,
  }),
  'mutes.lift': fc.record({ userId: snowflake, reason: some(reason) }),
  'messages.purge': fc.record({
    channel_id: snowflake,
    count: fc.integer({ min: 1, max: 1000 }),
    user_id: some(snowflake),
    contains: some(words(200)),
    bots_only: some(fc.boolean()),
    before: some(fc.oneof(snowflake, moment)),
    after: some(fc.oneof(snowflake, moment)),
    include_pinned: fc.boolean(),
    reason: some(reason),
  }),
  'servers.rcon': fc.record({ serverId: prefixed('srv'), command: words(RCON_COMMAND_BYTES) }),
};

/** A call that needs a window and a sentinel, of any operation that has such calls. */
export interface DestructiveCall {
  readonly name: OperationName;
  readonly input: Record<string, unknown>;
}

const defined = (input: object) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

export const destructiveCall: fc.Arbitrary<DestructiveCall> = fc.oneof(
  ...OPERATION_NAMES.flatMap((name) => {
    const inputs = INPUTS[name];
    return inputs === undefined ? [] : [inputs.map((input) => ({ name, input: defined(input) }))];
  }),
);

/** Names of the operations `destructiveCall` makes calls of. */
export const DESTRUCTIVE_NAMES = Object.keys(INPUTS);

/** The input of a call made up in a test, as the functions of core take it. */
export function inputOf(call: DestructiveCall): InputOf<OperationName> {
  return call.input as InputOf<OperationName>;
}
