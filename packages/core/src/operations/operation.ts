import type { z } from 'zod';
import type { Capability } from '#src/capabilities.ts';

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

/**
 * One thing that can be done, on every surface. REST routes, MCP tools, chat commands, the OpenAPI document, budgets,
 * approvals and audit rows are projected from it; nothing else describes an operation.
 */
export interface Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  PerformedBy extends 'store' | 'bot' = 'store' | 'bot',
  Http extends HttpEntry | null = HttpEntry | null,
> {
  /** One line, for lists of tools, commands and routes. */
  readonly summary: string;
  /** Null of an operation that exists in chat only: it has neither route nor tool. */
  readonly http: Http;
  /** MCP tool. Where `tier` is a function, `destructive` takes the calls that need a window, so that all hints stay true. */
  readonly tool: Http extends null ? null : ToolEntry & { readonly destructive?: ToolEntry };
  /** Slash command in chat, its words separated by spaces; absent where chat has no use for it. */
  readonly chat?: { readonly command: string };
  /** Whether the dashboard's pages offer it to people. */
  readonly dashboard?: true;
  /**
   * `none` needs only a live token; `of_action` that of the operation the action belongs to; `of_case` that of reading
   * the kind of each case, and at least one of them.
   */
  readonly capability: Capability | 'none' | 'of_action' | 'of_case';
  readonly tier: Tier | ((input: z.output<Input>) => Tier);
  /** `store` operations are settled inside the database; `bot` ones by the worker that reaches Discord or the game server. */
  readonly performedBy: PerformedBy;
  /**
   * Every argument, path parameters included. Of the fields that the path does not name, a GET takes them from the
   * query, a POST or DELETE from the JSON body.
   */
  readonly input: Input;
  readonly output: Output;
  /** Exactly where `tier` can be `destructive_write`. */
  readonly sentinel?: Sentinel<z.output<Input>>;
  /**
   * What the call does, every field named, for the owner who approves it; present where `sentinel` is. The entry says
   * what goes into the sentence, its wording is in the messages `operations`, under the operation's name.
   */
  readonly sentence?: (input: z.output<Input>, say: Speaker) => SentenceParts;
  /** What at most one call at a time may reach, over all bot processes; absent where nothing is in the way. */
  readonly oneAtATime?: (input: z.output<Input>) => string;
  /** What is acted on, for the audit row; of a list, the guild (`null`). */
  readonly target: (input: z.output<Input>) => Target | null;
}

/** An operation that the public API and the MCP process offer. */
export type RestEntry = Operation<z.ZodObject, z.ZodType, 'store' | 'bot', HttpEntry> & {
  readonly capability: Exclude<Operation['capability'], 'of_case'>;
};

/** Declares an operation; the identity function, for its inference. */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const PerformedBy extends 'store' | 'bot',
  const Http extends HttpEntry | null,
>(entry: Operation<Input, Output, PerformedBy, Http>): Operation<Input, Output, PerformedBy, Http> {
  return entry;
}
