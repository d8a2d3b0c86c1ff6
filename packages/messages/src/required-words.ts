import type {
  AskedField,
  CASE_KINDS,
  CaseKind,
  ChatOperation,
  CommandOf,
  DashboardOperation,
  DestructiveOperation,
  EventName,
  FormOperation,
  InputOf,
  MenuOperation,
  OperationName,
  OperationThatMayNotFind,
  ReadOperation,
} from '@bailiff/core';

/** The words that every language needs because of the operation table and the list of events. */
export interface RequiredWords {
  readonly operations: Tree<
    { readonly [N in OperationName]: OperationWords<N> & CaseWordsIn<N> } & {
      readonly [Block in Exclude<CaseBlock, OperationName>]: CaseWordsIn<Block>;
    }
  >;
  readonly events: Tree<{ readonly [N in EventName]: string }>;
  readonly commands: {
    /** To Discord, commands with the same first word are one command. */
    readonly groups: Readonly<Record<Group, { readonly name: string; readonly description: string }>>;
    /** The options for files of the commands that take some. */
    readonly evidence: { readonly name: string; readonly description: string };
    /** The option that carries a command to game servers too. */
    readonly gameServers: { readonly name: string; readonly description: string };
    /** Their option for the link of a message. */
    readonly messageLink: { readonly name: string; readonly description: string };
    /** The choices of a command's field. */
    readonly choices: Readonly<Record<Choice, string>>;
  };
}

/** The words of an operation. */
export type OperationWords<N extends OperationName> = {
  /** Its name in the audit log. */
  readonly name: string;
} & If<N, DestructiveOperation, { /** What the owner approves. */ readonly sentence: string }> &
  If<N, ChatOperation, { readonly command: CommandWords<N> }> &
  /** Chat's answer when it is done; without it, chat shows the sentence of the call. */
  If<N, Exclude<ChatOperation, ReadOperation | DestructiveOperation>, { readonly done: string }> &
  If<N, ChatOperation & DestructiveOperation, { readonly done?: string }> &
  If<
    N,
    ChatOperation & OperationThatMayNotFind,
    { /** Why it was not done, for NOT_FOUND. */ readonly missing: string }
  > &
  If<N, MenuOperation, { /** Entries in Discord's menus. */ readonly menus: MenuWords<N> }> &
  If<N, FormOperation, { /** The title of the menus' form. */ readonly form: string }> &
  If<N, DashboardOperation<'person'>, { readonly dashboard: PersonWords }> &
  If<
    N,
    DashboardOperation<'case'>,
    { readonly dashboard: { /** The button on the case. */ readonly button: string } }
  >;

/** Blocks that have the words of a kind of case. */
type CaseBlock = (typeof CASE_KINDS)[CaseKind]['words'];

type CaseWordsIn<Block> = {
  [K in CaseKind]: (typeof CASE_KINDS)[K]['words'] extends Block ? { readonly case: CaseWords<K> } : never;
}[CaseKind] extends infer Words
  ? [Words] extends [never]
    ? unknown
    : Words
  : never;

/** What is said of the cases of a kind. */
type CaseWords<K extends CaseKind> = {
  /** What such a case is called, standing alone. */
  readonly name: string;
  /** The same within a sentence. */
  readonly inline: string;
  /** Who issued it, in the case's timeline. */
  readonly issued: string;
  /** What its target is told. */
  readonly told: string;
} & ((typeof CASE_KINDS)[K]['end'] extends null
  ? unknown
  : { /** Who ended it, in the case's timeline. */ readonly ended: string }) &
  ((typeof CASE_KINDS)[K]['term'] extends 'none'
    ? unknown
    : { /** What its target is told of its end. */ readonly ends: string }) &
  ((typeof CASE_KINDS)[K]['term'] extends 'some'
    ? { /** What its target is told where it has no end of its own. */ readonly stays: string }
    : { readonly stays?: string });

/** The dashboard's words for an operation on a person. */
interface PersonWords {
  readonly button: string;
  /** The title of its dialog. */
  readonly dialog: string;
  /** The message when it is done. */
  readonly done: string;
}

type If<N, Those, Words> = N extends Those ? Words : unknown;

type CommandWords<N extends OperationName> = { readonly name: string; readonly description: string } & ([
  Option<N>,
] extends [never]
  ? unknown
  : { readonly options: Readonly<Record<Option<N>, OptionWords>> });

/** The name and description of a command or option in Discord. */
export interface OptionWords {
  readonly name: string;
  readonly description: string;
}

type MenuWords<N> = If<N, MenuOperation<'user'>, { readonly user: string }> &
  If<N, MenuOperation<'message'>, { readonly message: string }>;

/** Fields of the input that a command has options for. The others follow from the channel of the command. */
type Option<N extends OperationName> = string extends keyof InputOf<N>
  ? never
  : Extract<keyof InputOf<N>, AskedField>;

type Group =
  CommandOf<ChatOperation> extends infer Command
    ? Command extends `${infer First} ${string}`
      ? First
      : never
    : never;

type Choice = {
  [N in ChatOperation]: {
    [Field in Option<N>]: InputOf<N>[Field] extends infer Value
      ? Value extends string
        ? string extends Value
          ? never
          : Value
        : never
      : never;
  }[Option<N>];
}[ChatOperation];

/** An object of words, nested by dotted name as in the files. */
type Tree<Words> = {
  readonly [First in FirstOf<keyof Words & string>]: First extends keyof Words
    ? Words[First]
    : {
        readonly [Name in keyof Words as Name extends `${First}.${infer Rest}` ? Rest : never]: Words[Name];
      };
};

type FirstOf<Name extends string> = Name extends `${infer First}.${string}` ? First : Name;
