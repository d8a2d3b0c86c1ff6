import type { z } from 'zod';
import { actions } from './actions.ts';
import { appeals } from './appeals.ts';
import { approvals } from './approvals.ts';
import { audit } from './audit.ts';
import { bans } from './bans.ts';
import { cases } from './cases.ts';
import { channels } from './channels.ts';
import { identities } from './identities.ts';
import { many } from './many.ts';
import { me } from './me.ts';
import { members } from './members.ts';
import { messages } from './messages.ts';
import { moderators } from './moderators.ts';
import { mutes } from './mutes.ts';
import { notes } from './notes.ts';
import type { ChatEntry, HttpEntry, Operation, Tier } from './operation.ts';
import { reports } from './reports.ts';
import { roles } from './roles.ts';
import { rules } from './rules.ts';
import { servers } from './servers.ts';
import { strikes } from './strikes.ts';
import { ticketNotes } from './ticket-notes.ts';
import { ticketStatistics } from './ticket-statistics.ts';
import { tickets } from './tickets.ts';
import { warnings } from './warnings.ts';

/** Every operation, by its name (decisions: Operations). */
export const OPERATIONS = {
  ...me,
  ...strikes,
  ...warnings,
  ...bans,
  ...mutes,
  ...many,
  ...tickets,
  ...ticketNotes,
  ...ticketStatistics,
  ...appeals,
  ...reports,
  ...messages,
  ...channels,
  ...roles,
  ...servers,
  ...members,
  ...identities,
  ...cases,
  ...notes,
  ...rules,
  ...audit,
  ...moderators,
  ...actions,
  ...approvals,
};

type Table = typeof OPERATIONS;

export type OperationName = keyof Table;

/** The input of an operation after parsing, with defaults filled in. */
export type InputOf<N extends OperationName> = z.output<Table[N]['input']>;

/** An operation with an input of its own: a union in which each name goes with its input, and no other. */
export type Call<N extends OperationName = OperationName> = {
  [K in N]: { readonly operation: K; readonly input: InputOf<K> };
}[N];

/** Puts an operation and its input together. `input` must have been read for that operation, by `parseInput`. */
export function callOf<N extends OperationName>(operation: N, input: InputOf<N>): Call<N> {
  return { operation, input };
}

/** The body of an operation's successful answer. */
export type OutputOf<N extends OperationName> = z.output<Table[N]['output']>;

/** Names of the operations whose entry has this value in this field. */
type NamesWith<Field extends keyof Operation, Value> = {
  [N in OperationName]: Table[N][Field] extends Value ? N : never;
}[OperationName];

/** Names of the operations whose entry has this optional field. */
type NamesThatHave<Field extends 'chat' | 'dashboard'> = {
  [N in OperationName]: [NonNullable<Table[N][Field]>] extends [never] ? never : N;
}[OperationName];

/** Operations that the bot's worker performs. */
export type BotOperation = NamesWith<'performedBy', 'bot'>;

/** Operations that are performed inside the database. */
export type StoreOperation = NamesWith<'performedBy', 'store'>;

/** Operations that change nothing. */
export type ReadOperation = NamesWith<'tier', 'read'>;

/** Operations that change something. */
export type WriteOperation = Exclude<OperationName, ReadOperation>;

/** Operations that need an open window, a sentinel and a sentence for the approval, for all inputs or for some. */
export type DestructiveOperation = Exclude<OperationName, NamesWith<'tier', 'read' | 'reversible_write'>>;

/** Operations of the public API and the MCP process. The others exist only in chat. */
export type RestOperation = Exclude<OperationName, NamesWith<'http', null>>;

/** Operations that have a slash command. */
export type ChatOperation = NamesThatHave<'chat'>;

/** Fields of the inputs of operations that have a slash command. */
export type ChatField = {
  [N in ChatOperation]: string extends keyof InputOf<N> ? never : keyof InputOf<N> & string;
}[ChatOperation];

/** The name of an operation's slash command, from its entry. */
export type CommandOf<N extends ChatOperation> = NonNullable<Table[N]['chat']>['command'];

/** Operations in chat's menus for a person or a message. */
export type MenuOperation<On extends 'user' | 'message' = 'user' | 'message'> = {
  [N in ChatOperation]: Table[N]['chat'] extends infer Chat
    ? Chat extends { readonly menus: readonly (infer Menu)[] }
      ? Extract<Menu, On> extends never
        ? never
        : N
      : never
    : never;
}[ChatOperation];

/** Operations whose menu entry opens a form. */
export type FormOperation = {
  [N in ChatOperation]: NonNullable<Table[N]['chat']> extends { readonly form: readonly string[] }
    ? N
    : never;
}[ChatOperation];

/** Fields of the forms in chat. */
export type FormField = {
  [N in FormOperation]: NonNullable<Table[N]['chat']> extends { readonly form: readonly (infer Field)[] }
    ? Field
    : never;
}[FormOperation];

type Place = 'person' | 'case' | 'in_force' | 'own_page';

/** Operations that the dashboard offers: all of them, or those in the place `On`. */
export type DashboardOperation<On extends Place = Place> = {
  [N in NamesThatHave<'dashboard'>]: NonNullable<Table[N]['dashboard']> extends { readonly on: On }
    ? N
    : never;
}[NamesThatHave<'dashboard'>];

/** Fields of the dashboard's dialogs. */
export type DashboardField = {
  [N in DashboardOperation]: NonNullable<Table[N]['dashboard']> extends {
    readonly form: readonly (infer Field)[];
  }
    ? Field
    : never;
}[DashboardOperation];

/** Operations that can answer NOT_FOUND, and so have words for what is missing. */
export type OperationThatMayNotFind = Exclude<OperationName, NamesWith<'notFound', null>>;

export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

/** Operations that have a slash command, in the order of the table. */
export const CHAT_OPERATION_NAMES = OPERATION_NAMES.filter(
  (name): name is ChatOperation => entryOf(name).chat !== undefined,
);

export const REST_OPERATION_NAMES = OPERATION_NAMES.filter(
  (name): name is RestOperation => OPERATIONS[name].http !== null,
);

/** The slash command, menus and form of an operation. */
export function chatEntryOf(name: ChatOperation): ChatEntry {
  const { chat } = entryOf(name);
  if (chat === undefined) throw new Error(`${name} has no command.`);
  return chat;
}

/** Whether the operation's menu entry opens a form. */
export function isFormOperation(name: OperationName): name is FormOperation {
  return entryOf(name).chat?.form !== undefined;
}

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

export function isReadOperation(name: OperationName): name is ReadOperation {
  return OPERATIONS[name].tier === 'read';
}

export function isWriteOperation(name: OperationName): name is WriteOperation {
  return !isReadOperation(name);
}

export function isBotOperation(name: OperationName): name is BotOperation {
  return OPERATIONS[name].performedBy === 'bot';
}

/** The entry of an operation; its functions take the input of that very operation. */
export type EntryOf<N extends OperationName> = Omit<Operation, 'input' | 'output' | ByInput> &
  Pick<Operation<Table[N]['input']>, ByInput> & {
    readonly input: z.ZodObject & z.ZodType<InputOf<N>>;
    readonly output: z.ZodType<OutputOf<N>>;
  };

/** Fields of an entry that take the operation's input. */
type ByInput = 'tier' | 'sentinel' | 'sentence' | 'oneAtATime' | 'target';

/** The entry of an operation that the public API and the MCP process offer. */
export type RestEntry<N extends RestOperation = RestOperation> = EntryOf<N> & {
  readonly http: HttpEntry;
  readonly tool: NonNullable<Operation['tool']>;
};

/**
 * The entry of an operation whose name is only known at run time. This is the one place that casts: TypeScript cannot
 * see that `OPERATIONS[name]` has the types of `name` while `name` stands for many operations.
 */
export function entryOf<N extends RestOperation>(name: N): RestEntry<N>;
export function entryOf<N extends OperationName>(name: N): EntryOf<N>;
export function entryOf<N extends OperationName>(name: N): EntryOf<N> {
  return OPERATIONS[name] as unknown as EntryOf<N>;
}

/** The operation's input, parsed from a request or from storage. `error` writes the message for a wrong field. */
export function parseInput<N extends OperationName>(
  name: N,
  values: unknown,
  error?: z.core.$ZodErrorMap,
): z.ZodSafeParseResult<InputOf<N>> {
  return entryOf(name).input.safeParse(values, error === undefined ? undefined : { error });
}

/** The risk tier that a call is charged to (spec §8). */
export function tierOf<N extends OperationName>(name: N, input: InputOf<N>): Tier {
  const { tier } = entryOf(name);
  return typeof tier === 'function' ? tier(input) : tier;
}

/** Whether a call needs an open window and a sentinel (spec §4). */
export function isDestructive<N extends OperationName>(name: N, input: InputOf<N>): boolean {
  return tierOf(name, input) === 'destructive_write';
}

/** Whether at least some calls of the operation need an open window and a sentinel. */
export function canBeDestructive(name: OperationName): boolean {
  return entryOf(name).sentinel !== undefined;
}
