import type { z } from 'zod';
import type { Capability } from '#src/capabilities.ts';
import type { CaseKind, PresetKind } from '#src/case-kinds.ts';
import type { ErrorCode } from '#src/errors.ts';
import type { DiscordPermission } from '#src/permissions.ts';
import type { GameSanction } from '#src/server-templates.ts';
import type { NotFoundNoun } from './not-found.ts';

/** Risk tier of a call; each has its own budgets (spec §8). */
export type Tier = 'read' | 'reversible_write' | 'destructive_write';

export interface Target {
  readonly type:
    | 'user'
    | 'strike'
    | 'warning'
    | 'case'
    | 'ticket'
    | 'appeal'
    | 'report'
    | 'server'
    | 'channel'
    | 'action'
    | 'approval'
    | 'archive'
    | 'token'
    | 'guild';
  readonly id: string;
}

/**
 * The sentence that a caller sends to confirm exactly this call (spec §4). A placeholder `{name}` stands for the
 * input's field of that name, and `{guildId}` for the guild of the path. Any other placeholder is a choice, filled in
 * by `choice`.
 */
export interface Sentinel<Input> {
  readonly template: string;
  readonly choice?: (input: Input) => string;
}

/** Formats the values of a call for a sentence, in the reader's language (`describeCall`). */
export interface SentenceFormatter {
  /** The label of a thing, with its name if that is known. */
  readonly name: (
    kind: 'user' | 'channel' | 'strike' | 'warning' | 'appeal' | 'report' | 'server',
    id: string,
  ) => string;
  /**
   * Text that people wrote, in quotes and without characters that could disguise the sentence; empty if there is no
   * text.
   */
  readonly quote: (text: string | undefined) => string;
  /** A length of time. */
  readonly length: (amount: number, unit: 'second' | 'minute') => string;
}

/** The values in a sentence, by the argument of its message; `yes` and `no` choose between wordings. */
export type SentenceParts = Readonly<Record<string, string | number>>;

/** The argument of a message that has two wordings, one for true and one for false. */
export function yesOrNo(so: boolean): 'yes' | 'no' {
  return so ? 'yes' : 'no';
}

/**
 * An MCP tool of an operation. If an operation has two tools, `summary` and `fields` say which calls each one makes.
 */
export interface ToolEntry {
  readonly name: string;
  readonly summary?: string;
  /** Fields of the input with narrower bounds. */
  readonly fields?: z.ZodRawShape;
  /** Whether it is of use only where a destructive tool is offered. */
  readonly forDestructive?: true;
}

/** A route of the public API. */
export interface HttpEntry {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/public/v1/guilds/{guildId}`, unless `scope` is `token`: then below `/api/public/v1`. */
  readonly path: string;
  readonly success: 200 | 201;
  readonly scope?: 'token';
  /** Whether a repeated POST changes nothing more. A repeated GET, PATCH or DELETE never does. */
  readonly idempotent?: true;
  /** Whether `Prefer: wait=N` waits for a decision that is not made yet. */
  readonly waits?: true;
}

/** A slash command and the entries in Discord's menus that do the same. */
export interface ChatEntry<Field extends string = string> {
  /** The name of the command: one word, or a group and a subcommand with a space between them. */
  readonly command: string;
  /** Discord shows the command to members with this permission, unless the guild's settings say otherwise. */
  readonly shownTo: DiscordPermission | 'everyone';
  /** Menus that have an entry for it: that of a person, that of a message, or both. */
  readonly menus?: readonly ('user' | 'message')[];
  /** Fields of the menu's form, in this order. Without them the menu acts at once. */
  readonly form?: readonly Field[];
  /** Whether its command takes files, which are kept with the case that it opens (decisions: Evidence). */
  readonly takesEvidence?: true;
}

/** The icons of buttons on a person's page, by their names in Lucide. */
export type PersonIcon =
  | 'door-open'
  | 'eraser'
  | 'gavel'
  | 'message-square-warning'
  | 'mic-off'
  | 'triangle-alert';

/** Where the dashboard offers an operation, and the fields of its dialog, in this order. */
export type DashboardEntry<Field extends string = string> =
  /** A button on a person's page; `danger` marks what cannot easily be made good again. Such buttons come last. */
  | {
      readonly on: 'person';
      readonly icon: PersonIcon;
      readonly danger?: true;
      readonly form: readonly Field[];
    }
  /** A button on a case of this kind that is in force. */
  | { readonly on: 'case'; readonly kind: CaseKind; readonly form: readonly Field[] }
  /** Changes a case of this kind that is in force, with a control of its own on the case's page. */
  | { readonly on: 'in_force'; readonly kind: CaseKind }
  /** The operation has controls of its own on a page. */
  | { readonly on: 'own_page' };

/** The tier that a call is charged to (spec §8): the same for all calls, or chosen by the input. */
export type Charge<Input> = Tier | ((input: Input) => Tier);

type FieldOf<Input extends z.ZodObject> = keyof z.output<Input> & string;

/**
 * The description of an operation for every surface. REST routes, MCP tools, chat commands, menus, forms, the
 * dashboard's buttons, the OpenAPI document, budgets, approvals, audit rows and the bot's invitation are made from it.
 * Nothing else describes an operation, except its words (packages/messages).
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  PerformedBy extends 'store' | 'bot' = 'store' | 'bot',
  Http extends HttpEntry | null = HttpEntry | null,
  Needed extends Capability | 'none' | 'of_action' | 'of_case' =
    | Capability
    | 'none'
    | 'of_action'
    | 'of_case',
  Charged extends Charge<z.output<Input>> = Charge<z.output<Input>>,
  NotFound extends NotFoundNoun | null = NotFoundNoun | null,
  Chat extends ChatEntry<FieldOf<Input>> | undefined = ChatEntry<FieldOf<Input>> | undefined,
  Dashboard extends DashboardEntry<FieldOf<Input>> | undefined = DashboardEntry<FieldOf<Input>> | undefined,
> {
  /** One line, for lists of tools, commands and routes. */
  readonly summary: string;
  /** Null for an operation that exists only in chat, without a route or tool. */
  readonly http: Http;
  /**
   * MCP tool. If `tier` is a function, `destructive` makes the calls that need a window, so that all hints stay true.
   */
  readonly tool: Http extends null ? null : ToolEntry & { readonly destructive?: ToolEntry };
  /** Absent if chat does not offer the operation. */
  readonly chat?: Chat;
  /** Absent if the dashboard does not offer the operation. */
  readonly dashboard?: Dashboard;
  /** What people may ask for on game servers together with it, by the servers' own commands. Absent: nothing. */
  readonly inGames?: GameSanction;
  /** Which of the guild's preset reasons can be picked as its `reason`; absent if none can. */
  readonly presets?: PresetKind;
  /**
   * The capability that a caller needs. `none`: a live token is enough. `of_action`: that of the action's operation.
   * `of_case`: for a read, that of reading the kind of each case, and at least one of these in any case; for a write, that
   * of writing the kind of the case that `caseId` names.
   */
  readonly capability: Needed;
  /**
   * Whose holders read such a call in full in the audit log, where the call itself needs no capability. `nobody`: whom
   * it is about may hold any. Present if and only if it is a write whose `capability` is `none`.
   */
  readonly reader?: Capability | 'nobody';
  readonly tier: Charged;
  /**
   * `store` operations are performed inside the database; `bot` operations by the worker, which reaches Discord or the
   * game server.
   */
  readonly performedBy: PerformedBy;
  /** The Discord permissions that the bot needs to perform it. The bot's invitation asks for all of them. */
  readonly botPermissions?: readonly DiscordPermission[];
  /** Whether Discord does it to nobody who has the permission Administrator. */
  readonly sparesAdministrators?: true;
  /**
   * Every argument, including path parameters. A GET takes the other fields from the query, any other method from
   * the JSON body.
   */
  readonly input: Input;
  readonly output: Output;
  /**
   * A call and its answer, for documents and tests. Its ids belong to nothing real. If calls can be destructive, this
   * one is.
   */
  readonly example: { readonly input: z.input<Input>; readonly output: z.output<Output> };
  /** What is missing when the answer is NOT_FOUND; null if nothing can be missing. */
  readonly notFound: NotFound;
  /** Error codes that it can answer, besides those that every operation can. */
  readonly errors?: readonly ErrorCode[];
  /** Present if and only if `tier` can be `destructive_write`. */
  readonly sentinel?: Sentinel<z.output<Input>>;
  /**
   * The values in the sentence for the owner who approves the call: every field. Present if and only if `sentinel` is.
   * The wording of the sentence is among the operation's words.
   */
  readonly sentence?: (input: z.output<Input>, say: SentenceFormatter) => SentenceParts;
  /**
   * The resource that only one call at a time may use, over all bot processes; absent if calls may run at the same
   * time.
   */
  readonly oneAtATime?: (input: z.output<Input>) => string;
  /** The target in the audit row; `null` is the guild, for a list. */
  readonly target: (input: z.output<Input>) => Target | null;
}

/** The fields that an entry must have because of its tier and of what performs it. */
type RequiredFields<Input, PerformedBy, Needed, Charged> = (Charged extends 'read' | 'reversible_write'
  ? { readonly sentinel?: never; readonly sentence?: never }
  : {
      readonly sentinel: Sentinel<Input>;
      readonly sentence: (input: Input, say: SentenceFormatter) => SentenceParts;
    }) &
  (PerformedBy extends 'bot'
    ? { readonly botPermissions: readonly DiscordPermission[] }
    : { readonly botPermissions?: never }) &
  ([Needed, Charged] extends ['none', Exclude<Tier, 'read'>]
    ? { readonly reader: Capability | 'nobody' }
    : { readonly reader?: never });

/** The given entry, with its literal types. This is the identity function; it exists for the compiler's inference. */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const PerformedBy extends 'store' | 'bot',
  const Http extends HttpEntry | null,
  const Needed extends Operation['capability'],
  const Charged extends Charge<z.output<Input>>,
  const NotFound extends NotFoundNoun | null,
  const Chat extends ChatEntry<FieldOf<Input>> | undefined = undefined,
  const Dashboard extends DashboardEntry<FieldOf<Input>> | undefined = undefined,
>(
  entry: Operation<Input, Output, PerformedBy, Http, Needed, Charged, NotFound, Chat, Dashboard> &
    RequiredFields<z.output<Input>, PerformedBy, Needed, Charged>,
): Operation<Input, Output, PerformedBy, Http, Needed, Charged, NotFound, Chat, Dashboard> {
  return entry;
}
