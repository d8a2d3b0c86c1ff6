import type { z } from 'zod';
import type { Capability } from '#src/capabilities.ts';
import type { ErrorCode } from '#src/errors.ts';
import type { DiscordPermission } from '#src/permissions.ts';
import type { PresetKind } from '#src/presets.ts';
import type { NotFoundNoun } from './not-found.ts';

/** Risk tier of a call; each has its own budgets (spec §8). */
export type Tier = 'read' | 'reversible_write' | 'destructive_write';

export interface Target {
  readonly type: 'user' | 'strike' | 'ticket' | 'server' | 'channel' | 'action' | 'token' | 'guild';
  readonly id: string;
}

/**
 * The sentence a caller repeats to show it means this very call (spec §4). A placeholder `{name}` is filled with the
 * input's field of that name, `{guildId}` with the guild of the path; any other one is a choice, filled by `choice`.
 */
export interface Sentinel<Input> {
  readonly template: string;
  readonly choice?: (input: Input) => string;
}

/** How a sentence for people says what is in a call, in their language (`describeCall`). */
export interface Speaker {
  /** A user, channel, strike or server, by its name where that is known. */
  readonly name: (kind: 'user' | 'channel' | 'strike' | 'server', id: string) => string;
  /** Text that people wrote, in quotes and without characters that could disguise the sentence; empty of none. */
  readonly quote: (text: string | undefined) => string;
  /** A length of time. */
  readonly length: (amount: number, unit: 'second' | 'minute') => string;
}

/** What goes into a sentence, by the argument of its message; `yes` and `no` choose between wordings. */
export type SentenceParts = Readonly<Record<string, string | number>>;

/** For a message that says one thing where something is so, and another where it is not. */
export function yesOrNo(so: boolean): 'yes' | 'no' {
  return so ? 'yes' : 'no';
}

/** An MCP tool of an operation. Where an operation has two, `summary` and `fields` say which calls each takes. */
export interface ToolEntry {
  readonly name: string;
  readonly summary?: string;
  /** Fields of the input with narrower bounds. */
  readonly fields?: z.ZodRawShape;
}

/** A route of the public API. */
export interface HttpEntry {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/public/v1/guilds/{guildId}`, unless `scope` is `token`: then below `/api/public/v1`. */
  readonly path: string;
  readonly success: 200 | 201;
  readonly scope?: 'token';
  /** A POST that changes nothing more when it is repeated; a GET or DELETE never does. */
  readonly idempotent?: true;
}

/** A slash command, and the entries of Discord's menus that do the same. */
export interface ChatEntry<Field extends string = string> {
  /** The words of the command, separated by spaces: one, or a group and a subcommand. */
  readonly command: string;
  /** Discord shows the command to members with this permission, until the guild's settings say otherwise. */
  readonly shownTo: DiscordPermission | 'everyone';
  /** Offered in the menu on a person, in the menu on a message, or in both. */
  readonly menus?: readonly ('user' | 'message')[];
  /** Fields that a menu's form asks for, in this order; without them the menu acts at once. */
  readonly form?: readonly Field[];
}

/** Where the dashboard offers an operation, and the fields that its dialog asks for, in this order. */
export type DashboardEntry<Field extends string = string> =
  /** A button on a person's page. */
  | { readonly on: 'person'; readonly form: readonly Field[] }
  /** A button on a case of this kind that is in force. */
  | { readonly on: 'case'; readonly kind: 'strike' | 'ban' | 'mute'; readonly form: readonly Field[] }
  /** A page has controls of its own for it. */
  | { readonly on: 'own_page' };

/** What a call is charged to (spec §8), the same for all calls or by the call. */
export type Charge<Input> = Tier | ((input: Input) => Tier);

type FieldOf<Input extends z.ZodObject> = keyof z.output<Input> & string;

/**
 * One thing that can be done, on every surface. REST routes, MCP tools, chat commands, menus, forms, the dashboard's
 * buttons, the OpenAPI document, budgets, approvals, audit rows and the bot's invitation are made from it; nothing else
 * describes an operation but its words (packages/messages).
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
  /** Null for an operation that exists in chat only: it has neither route nor tool. */
  readonly http: Http;
  /** MCP tool. Where `tier` is a function, `destructive` takes the calls that need a window, so that all hints stay true. */
  readonly tool: Http extends null ? null : ToolEntry & { readonly destructive?: ToolEntry };
  /** Absent where chat has no use for it. */
  readonly chat?: Chat;
  /** Absent where the dashboard's pages do not offer it to people. */
  readonly dashboard?: Dashboard;
  /** Which of the guild's preset reasons can be picked as its `reason`; absent where none can. */
  readonly presets?: PresetKind;
  /**
   * `none` needs only a live token; `of_action` that of the operation the action belongs to; `of_case` that of reading
   * the kind of each case, and at least one of them.
   */
  readonly capability: Needed;
  readonly tier: Charged;
  /** `store` operations are settled inside the database; `bot` ones by the worker that reaches Discord or the game server. */
  readonly performedBy: PerformedBy;
  /** The permissions in Discord that the bot needs to perform it; its invitation asks for all of them. */
  readonly botPermissions?: readonly DiscordPermission[];
  /**
   * Every argument, path parameters included. Of the fields that the path does not name, a GET takes them from the
   * query, a POST or DELETE from the JSON body.
   */
  readonly input: Input;
  readonly output: Output;
  /** A call and its answer, for documents and tests. It names nothing that exists; where calls can be destructive, it is. */
  readonly example: { readonly input: z.input<Input>; readonly output: z.output<Output> };
  /** What is missing when the answer is NOT_FOUND; null where nothing can be. */
  readonly notFound: NotFound;
  /** Error codes it can answer beside those that every operation can. */
  readonly errors?: readonly ErrorCode[];
  /** Exactly where `tier` can be `destructive_write`. */
  readonly sentinel?: Sentinel<z.output<Input>>;
  /**
   * What the call does, every field named, for the owner who approves it; present where `sentinel` is. The entry says
   * what goes into the sentence, its wording is among the operation's words.
   */
  readonly sentence?: (input: z.output<Input>, say: Speaker) => SentenceParts;
  /** What at most one call at a time may reach, over all bot processes; absent where nothing is in the way. */
  readonly oneAtATime?: (input: z.output<Input>) => string;
  /** What is acted on, for the audit row; the guild (`null`) for a list. */
  readonly target: (input: z.output<Input>) => Target | null;
}

/** What an entry must have because of its tier and of who performs it. */
type Demanded<Input, PerformedBy, Charged> = (Charged extends 'read' | 'reversible_write'
  ? { readonly sentinel?: never; readonly sentence?: never }
  : {
      readonly sentinel: Sentinel<Input>;
      readonly sentence: (input: Input, say: Speaker) => SentenceParts;
    }) &
  (PerformedBy extends 'bot'
    ? { readonly botPermissions: readonly DiscordPermission[] }
    : { readonly botPermissions?: never });

/** Declares an operation; the identity function, for its inference: the compiler keeps what the entry says word for word. */
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
    Demanded<z.output<Input>, PerformedBy, Charged>,
): Operation<Input, Output, PerformedBy, Http, Needed, Charged, NotFound, Chat, Dashboard> {
  return entry;
}
