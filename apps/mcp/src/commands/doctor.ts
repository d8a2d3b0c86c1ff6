import { entryOf, OPERATIONS, pathTemplate, REST_OPERATION_NAMES } from '@bailiff/core';
import { type Account, findAccount } from '#src/account.ts';
import { codeOf } from '#src/errors.ts';
import { askMe } from '#src/me.ts';
import { cleanText } from '#src/untrusted.ts';
import { VERSION } from '#src/version.ts';
import type { CommandContext } from './context.ts';

const CHECK_TIMEOUT_MS = 10_000;
/** Codes and windows last minutes, so a clock that is this wrong misleads people. A larger error breaks TLS. */
const MOST_CLOCK_SECONDS = 30;
const OLDEST_NODE = [20, 12] as const;

interface Finding {
  readonly ok: boolean;
  readonly what: string;
}

/** Checks everything that a call needs and prints a line for each check. @returns the exit code */
export async function doctor(context: CommandContext): Promise<number> {
  const { env, store, terminal } = context;
  const found = await findAccount(env, store);
  const url = found.ok ? found.account.url : found.url;
  const findings = [
    versionHere(),
    await storeIsPrivate(context),
    ...(url === null ? [] : await instance(url)),
    found.ok ? await token(found.account) : { ok: false, what: found.problem },
  ];
  for (const { ok, what } of findings) terminal.print(`${ok ? '✓' : '✗'} ${cleanText(what)}`);
  return findings.every(({ ok }) => ok) ? 0 : 1;
}

function versionHere(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const wish = ok ? '' : `, but it needs ${OLDEST_NODE.join('.')} or newer`;
  return { ok, what: `bailiff-mcp ${VERSION} on Node ${process.versions.node}${wish}` };
}

async function storeIsPrivate({ store }: CommandContext): Promise<Finding> {
  const isOpen = await store.isOpenToOthers();
  if (isOpen === null) return { ok: true, what: 'No token is stored in a file' };
  return isOpen
    ? { ok: false, what: `Others can read ${store.path}. Run: chmod 600 '${store.path}'` }
    : { ok: true, what: `${store.path} is readable by you alone` };
}

/** Checks whether the address answers, agrees about the time, and has the features of this version. */
async function instance(url: string): Promise<readonly Finding[]> {
  let response: Response;
  let document: { paths?: Record<string, object> } | undefined;
  try {
    response = await fetch(`${url}/openapi.json`, {
      signal: AbortSignal.timeout(CHECK_TIMEOUT_MS),
      redirect: 'manual',
    });
    document = (await response.json().catch(() => undefined)) as typeof document;
  } catch (error) {
    return [
      {
        ok: false,
        what: `${url} cannot be reached (${codeOf(error)}). Is it running, and is BAILIFF_URL right?`,
      },
    ];
  }
  if (typeof document?.paths !== 'object') {
    return [
      {
        ok: false,
        what: `${url} answers ${response.status}, but not as Bailiff does. Is BAILIFF_URL right?`,
      },
    ];
  }
  const known = new Set(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/public\/v1/, '')}`),
    ),
  );
  const missing = REST_OPERATION_NAMES.filter(
    (name) => !known.has(`${entryOf(name).http.method} ${pathTemplate(name)}`),
  );
  return [
    { ok: true, what: `${url} is reachable` },
    clock(response),
    missing.length === 0
      ? { ok: true, what: `The instance knows all ${REST_OPERATION_NAMES.length} operations of this version` }
      : {
          ok: false,
          what: `The instance is older: it lacks ${missing.map((name) => OPERATIONS[name].summary).join('; ')}`,
        },
  ];
}

function clock(response: Response): Finding {
  const theirs = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return { ok: true, what: 'The instance does not tell its time' };
  const seconds = Math.round(Math.abs(Date.now() - theirs) / 1_000);
  const ok = seconds <= MOST_CLOCK_SECONDS;
  return {
    ok,
    what: ok ? 'The clocks agree' : `The clocks differ by ${seconds} s: set the one of this computer`,
  };
}

async function token(account: Account): Promise<Finding> {
  const read = await askMe(account, { maxAttempts: 1 });
  if (!read.ok) return { ok: false, what: `${read.envelope.error.code}: ${read.envelope.error.message}` };
  const { token, guild, effective_capabilities } = read.me;
  if (guild.state !== 'trusted') {
    const what = `The bot cannot say now what may be done in ${guild.name}: the guild is ${guild.state}`;
    return { ok: false, what };
  }
  const may = `${effective_capabilities.length} capabilities now`;
  return {
    ok: effective_capabilities.length > 0,
    what: `The token ${token.name} works in ${guild.name}, with ${may}`,
  };
}
