/** What a program is given: where Bailiff is, a token of a guild, and whom to strike. */
export interface Given {
  readonly origin: string;
  readonly token: string;
  readonly guildId: string;
  readonly userId: string;
  /** A device code that the owner has consented to. */
  readonly deviceCode: string;
}

/** What a program read of typed answers and errors. Each program must have read the same. */
export interface Saw {
  readonly guild: string;
  /** When the window closes, of a token that has one open. */
  readonly windowUntil: string | null;
  /** The ids of each page of a list. */
  readonly pages: readonly (readonly string[])[];
  readonly missing: { readonly code: string; readonly status: number };
  /** What was wrong with a request, by field. */
  readonly wrongFields: readonly string[];
  readonly parked: { readonly code: string; readonly approvalState: string | undefined };
  readonly decided: string;
  readonly strike: string;
  /** The strike of the same request under the same key, and whether the answer says that it is the first one. */
  readonly again: { readonly strike: string; readonly replayed: string | null };
  readonly undecided: string;
  readonly scope: string;
  /** The guild of the token that the device flow gave. */
  readonly grantedFor: string;
}

/** Runs a program with what the environment gives it, and prints what it saw as the last line. */
export async function run(program: (given: Given) => Promise<Saw>): Promise<void> {
  const { BAILIFF = '', TOKEN = '', GUILD = '', USER_ID = '', DEVICE_CODE = '' } = process.env;
  const given = {
    origin: BAILIFF,
    token: TOKEN,
    guildId: GUILD,
    userId: USER_ID,
    deviceCode: DEVICE_CODE,
  };
  process.stdout.write(`${JSON.stringify(await program(given))}\n`);
}

/** Tells the person at the terminal where the owner decides. */
export function askOwner(url: string | undefined): void {
  process.stdout.write(`Allow it once: ${url}\n`);
}

/** The value, of a client whose types say that it may be absent where it must not be. */
export function there<Value>(value: Value | undefined | null, what: string): Value {
  if (value === undefined || value === null) throw new Error(`The answer has no ${what}.`);
  return value;
}

/** The code of an error of OAuth. Whoever asks too often gets an error of the API instead. */
export function codeOf({ error }: { readonly error: string | { readonly code: string } }): string {
  return typeof error === 'string' ? error : error.code;
}
