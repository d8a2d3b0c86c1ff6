import { randomBytes } from 'node:crypto';
import { BailiffClient, BailiffError } from '@bailiff/client';
import { type Exchange, type MintedToken, Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';

/** The found and the expected value of a step. */
interface Expectation {
  field: string;
  got: unknown;
  expected: unknown;
}

class UnexpectedStep extends Error {}

/**
 * Plays the main job over HTTP and prints each request, its status and the field that matters.
 *
 * Can be repeated on the same instance: each run bans another member and revokes its token at the end. A run spends one
 * call of the owner's budget for destructive calls (6, and 1 more each minute).
 *
 * @returns the exit code: 0 when every step was as expected
 */
export async function demonstrate(run: RunFile): Promise<number> {
  const { sandbox, guild_id: guildId } = run;
  const owner = run.people.owner;
  if (sandbox === null || owner === undefined) {
    print('The demo needs the sandbox: it signs in as its people. Start without DISCORD_TOKEN.');
    return 1;
  }
  try {
    const { guild } = await readSandbox(sandbox, guildId);
    const [memberId] = spareMembers(guild, run.people);
    if (memberId === undefined)
      throw new Error('nobody is left to ban. Restart the instance: the sandbox starts afresh.');
    const demo = await Demo.signIn(run, owner);
    const token = await demo.mint(guildId);
    try {
      await demo.banWithConsent(sandbox, guildId, memberId, token);
    } finally {
      await demo.revoke(token.id);
    }
    print('\nEvery step was as expected.');
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    print(
      error instanceof UnexpectedStep ? `\n${error.message}` : `\nThe demo could not go on: ${error.message}`,
    );
    return 1;
  }
}

/** A run against an instance. */
class Demo {
  readonly #web: string;
  readonly #owner: Owner;

  static async signIn({ web, dashboard }: RunFile, ownerId: string): Promise<Demo> {
    heading('The owner signs in to the dashboard');
    const owner = await Owner.signIn(dashboard, ownerId);
    const session = await owner.session();
    const { user } = session.body as { user: { id: string; name: string } };
    step(session, { field: 'user.id', got: user.id, expected: ownerId });
    note('user.name', user.name);
    return new Demo(web, owner);
  }

  private constructor(web: string, owner: Owner) {
    this.#web = web;
    this.#owner = owner;
  }

  async mint(guildId: string): Promise<MintedToken> {
    heading('The owner mints a token');
    const name = `demo ${randomBytes(3).toString('hex')}`;
    const minted = await this.#owner.mint(guildId, name);
    step(minted, { field: 'status', got: minted.status, expected: 201 });
    const { token, secret } = minted.body as { token: { id: string }; secret: string };
    note('token', `${name} (${token.id}), secret svcpat_…${secret.slice(-4)}`);
    return { id: token.id, name, secret };
  }

  async banWithConsent(
    sandbox: string,
    guildId: string,
    memberId: string,
    token: MintedToken,
  ): Promise<void> {
    const sentinel = `BAN USER ${memberId} IN GUILD ${guildId} PERMANENT`;
    const script = new BailiffClient({
      url: this.#web,
      token: token.secret,
      guildId,
      maxAttempts: 1,
      environment: { fetch: shownFetch },
    });
    const ban = (confirmation: string) =>
      script.send('bans.add', {
        user_id: memberId,
        reason: 'Griefing in the market square',
        _confirmation: confirmation,
      });

    heading('A script calls with the token: nobody has approved it yet');
    const early = await refusalOf(ban(sentinel));
    expectAll({ field: 'error.code', got: early.code, expected: 'RE_AUTH_REQUIRED' });
    if (early.is('RE_AUTH_REQUIRED')) note('error.details.reauth_url', early.details?.reauth_url);

    heading('The owner opens the window');
    const opened = await this.#owner.openWindow(token.id);
    step(opened, { field: 'open', got: fieldOf(opened, 'open'), expected: true });
    note('window.expires_at', (fieldOf(opened, 'window') as { expires_at?: string } | undefined)?.expires_at);

    heading('The script sends a sentinel that means another call');
    const wrong = await refusalOf(ban(`BAN USER ${memberId} IN GUILD ${guildId} DURATION 60`));
    const details = wrong.is('INVALID_CONFIRMATION') ? wrong.details : undefined;
    expectAll(
      { field: 'error.code', got: wrong.code, expected: 'INVALID_CONFIRMATION' },
      {
        field: 'error.details.expected_format',
        got: details?.expected_format,
        expected: 'BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
      },
      { field: 'error.details.expected_concrete', got: details?.expected_concrete, expected: sentinel },
    );

    heading('The script sends the sentinel of this call');
    const { status, body, requestId } = await ban(sentinel).catch(explainBudget);
    expectAll(
      { field: 'status', got: status, expected: 201 },
      { field: 'ban.user_id', got: body.ban.user_id, expected: memberId },
      { field: 'ban.active', got: body.ban.active, expected: true },
    );

    heading('Discord has the ban, with a reason that names the token');
    const { exchange, guild } = await readSandbox(sandbox, guildId);
    const entry = guild.audit_log.find(
      ({ action, target_id }) => action === 'MemberBanAdd' && target_id === memberId,
    );
    step(
      exchange,
      { field: 'bans', got: guild.bans.filter(({ user_id }) => user_id === memberId).length, expected: 1 },
      { field: 'the reason names the token', got: entry?.reason?.includes(token.name), expected: true },
    );
    note('reason', entry?.reason);

    heading('The audit log has both rows of the call');
    const outcomes: string[] = [];
    for await (const row of script.list('audit.list', { target: memberId, action: 'bans.add' })) {
      if (row.request_id === requestId && row.token_name === token.name) outcomes.push(row.outcome);
    }
    expectAll({ field: 'outcomes', got: outcomes.sort(), expected: ['performed', 'requested'] });

    heading('The owner closes the window, and the same call needs approval again');
    const closed = await this.#owner.closeWindow(token.id);
    step(closed, { field: 'open', got: fieldOf(closed, 'open'), expected: false });
    const late = await refusalOf(ban(sentinel));
    expectAll({ field: 'error.code', got: late.code, expected: 'RE_AUTH_REQUIRED' });
  }

  async revoke(tokenId: string): Promise<void> {
    heading('The owner revokes the token');
    const revoked = await this.#owner.revoke(tokenId);
    step(revoked, { field: 'status', got: revoked.status, expected: 200 });
  }
}

/** @throws UnexpectedStep when a budget is used up, otherwise the error itself */
function explainBudget(error: unknown): never {
  if (!(error instanceof BailiffError && error.is('RATE_LIMITED'))) throw error;
  throw new UnexpectedStep(
    `The budget of the ${error.details?.scope} for destructive calls is used up (6, and 1 more each minute). ` +
      `Run the demo again in ${error.details?.retry_after_seconds} s.`,
  );
}

/** The error that a call ends in. @throws UnexpectedStep when it succeeds */
async function refusalOf(call: Promise<unknown>): Promise<BailiffError> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof BailiffError) return error;
  if (error instanceof Error) throw error;
  throw new UnexpectedStep(
    `Not as expected: the call was not refused. The answer:\n${JSON.stringify(error, null, 2)}`,
  );
}

/** Prints each request and its status. */
const shownFetch: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  showRequest(init?.method ?? 'GET', String(url), response.status);
  return response;
};

function showRequest(method: string, url: string, status: number): void {
  const { pathname, search } = new URL(url);
  print(`  ${method} ${pathname}${search} → ${status}`);
}

function fieldOf({ body }: Exchange, name: string): unknown {
  return (body as Record<string, unknown> | null | undefined)?.[name];
}

/** Prints a request and its result. @throws UnexpectedStep at the first value that was not expected */
function step({ method, url, status, body }: Exchange, ...expectations: Expectation[]): void {
  showRequest(method, url, status);
  try {
    expectAll(...expectations);
  } catch (error) {
    if (!(error instanceof UnexpectedStep)) throw error;
    throw new UnexpectedStep(`${error.message} The answer:\n${JSON.stringify(body, null, 2)}`);
  }
}

/** Prints what was looked at. @throws UnexpectedStep on the first expectation that is not met */
function expectAll(...expectations: Expectation[]): void {
  for (const { field, got, expected } of expectations) {
    if (JSON.stringify(got) !== JSON.stringify(expected)) {
      throw new UnexpectedStep(
        `Not as expected: ${field} is ${JSON.stringify(got)}, and should be ${JSON.stringify(expected)}.`,
      );
    }
    note(field, got);
  }
}

function heading(text: string): void {
  print(`\n${text}`);
}

function note(field: string, value: unknown): void {
  print(`    ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
