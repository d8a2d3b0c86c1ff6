import { randomBytes } from 'node:crypto';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { callApi, type Exchange } from '../e2e/src/client.ts';
import { type MintedToken, Owner } from '../e2e/src/owner.ts';
import { readSandbox, spareMembers } from '../e2e/src/sandbox.ts';

/** What a step looks at: the value it found and the one it should have found. */
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
    const demo = await Demo.signIn(run.web, owner);
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

/** One run against one instance. */
class Demo {
  readonly #web: string;
  readonly #owner: Owner;

  static async signIn(web: string, ownerId: string): Promise<Demo> {
    heading('The owner signs in to the dashboard');
    const owner = await Owner.signIn(web, ownerId);
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
    const call = (confirmation: string) =>
      callApi(this.#web, token.secret, 'POST', `/guilds/${guildId}/bans`, {
        user_id: memberId,
        reason: 'Griefing in the market square',
        _confirmation: confirmation,
      });

    heading('A script calls with the token: nobody has approved it yet');
    const early = await call(sentinel);
    step(early, { field: 'error.code', got: errorOf(early).code, expected: 'RE_AUTH_REQUIRED' });
    note('error.details.reauth_url', errorOf(early).details?.reauth_url);

    heading('The owner opens the window');
    const opened = await this.#owner.openWindow(token.id);
    step(opened, { field: 'open', got: fieldOf(opened, 'open'), expected: true });
    note('window.expires_at', (fieldOf(opened, 'window') as { expires_at?: string } | undefined)?.expires_at);

    heading('The script sends a sentinel that means another call');
    const wrong = await call(`BAN USER ${memberId} IN GUILD ${guildId} DURATION 60`);
    const { code, details } = errorOf(wrong);
    step(
      wrong,
      { field: 'error.code', got: code, expected: 'INVALID_CONFIRMATION' },
      {
        field: 'error.details.expected_format',
        got: details?.expected_format,
        expected: 'BAN USER {user_id} IN GUILD {guildId} {PERMANENT or DURATION N}',
      },
      { field: 'error.details.expected_concrete', got: details?.expected_concrete, expected: sentinel },
    );

    heading('The script sends the sentinel of this call');
    const banned = await call(sentinel);
    explainBudget(banned);
    const ban = fieldOf(banned, 'ban') as { user_id?: string; active?: boolean } | undefined;
    step(
      banned,
      { field: 'status', got: banned.status, expected: 201 },
      { field: 'ban.user_id', got: ban?.user_id, expected: memberId },
      { field: 'ban.active', got: ban?.active, expected: true },
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
    const query = `target=${memberId}&action=bans.add`;
    const audit = await callApi(this.#web, token.secret, 'GET', `/guilds/${guildId}/audit?${query}`);
    const requestId = banned.headers.get('x-request-id');
    const rows = (fieldOf(audit, 'data') ?? []) as {
      outcome: string;
      token_name: string;
      request_id: string;
    }[];
    const outcomes = rows
      .filter((row) => row.request_id === requestId && row.token_name === token.name)
      .map(({ outcome }) => outcome);
    step(audit, { field: 'outcomes', got: outcomes.sort(), expected: ['performed', 'requested'] });

    heading('The owner closes the window, and the same call needs approval again');
    const closed = await this.#owner.closeWindow(token.id);
    step(closed, { field: 'open', got: fieldOf(closed, 'open'), expected: false });
    const late = await call(sentinel);
    step(late, { field: 'error.code', got: errorOf(late).code, expected: 'RE_AUTH_REQUIRED' });
  }

  async revoke(tokenId: string): Promise<void> {
    heading('The owner revokes the token');
    const revoked = await this.#owner.revoke(tokenId);
    step(revoked, { field: 'status', got: revoked.status, expected: 200 });
  }
}

function explainBudget(exchange: Exchange): void {
  const { code, details } = errorOf(exchange);
  if (code !== 'RATE_LIMITED') return;
  throw new UnexpectedStep(
    `The budget of the ${details?.scope} for destructive calls is used up (6, and 1 more each minute). ` +
      `Run the demo again in ${details?.retry_after_seconds} s.`,
  );
}

function errorOf(exchange: Exchange): { code?: string; details?: Record<string, unknown> } {
  return (fieldOf(exchange, 'error') ?? {}) as { code?: string; details?: Record<string, unknown> };
}

function fieldOf({ body }: Exchange, name: string): unknown {
  return (body as Record<string, unknown> | null | undefined)?.[name];
}

/** Prints a request and what it showed. @throws UnexpectedStep on the first expectation that is not met */
function step({ method, url, status, body }: Exchange, ...expectations: Expectation[]): void {
  const { pathname, search } = new URL(url);
  print(`  ${method} ${pathname}${search} → ${status}`);
  for (const { field, got, expected } of expectations) {
    if (JSON.stringify(got) === JSON.stringify(expected)) {
      note(field, got);
      continue;
    }
    throw new UnexpectedStep(
      `Not as expected: ${field} is ${JSON.stringify(got)}, and should be ${JSON.stringify(expected)}. The answer:\n` +
        JSON.stringify(body, null, 2),
    );
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
