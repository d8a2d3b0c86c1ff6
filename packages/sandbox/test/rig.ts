import { REST } from '@discordjs/rest';
import { Client, Events, type GatewayIntentBits } from 'discord.js';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '#src/index.ts';

/** Fast enough for tests of everything but limits; rate-limits.test.ts shows Discord's own. */
const FAST = { limit: 100, windowSeconds: 1 };

/** A sandbox for one test file. Afterwards it checks that all answers conformed to Discord's OpenAPI document. */
export function sandboxForFile(options: SandboxOptions = {}): { get(): Sandbox } {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await startSandbox({ validate: true, rateLimit: FAST, ...options });
  });
  afterAll(async () => {
    const violations = sandbox?.violations ?? [];
    await sandbox?.close();
    expect(violations).toEqual([]);
  });
  return {
    get: () => {
      if (!sandbox) throw new Error('The sandbox starts before the tests, not before the file.');
      return sandbox;
    },
  };
}

/** Longer than a busy machine takes. */
const REQUEST_MS = 120_000;

/** @discordjs/rest with the sandbox's bot token, failing at once instead of retrying. */
export function restOf(sandbox: Sandbox): REST {
  const options = { api: sandbox.apiUrl, retries: 0, timeout: REQUEST_MS, rejectOnRateLimit: () => true };
  return new REST(options).setToken(sandbox.botToken);
}

/** A discord.js client that is ready. */
export async function connect(
  sandbox: Sandbox,
  intents: readonly GatewayIntentBits[],
): Promise<Client<true>> {
  const client = new Client({
    intents: [...intents],
    rest: { api: sandbox.apiUrl, retries: 0, timeout: REQUEST_MS },
  });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(sandbox.botToken);
  return ready;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** One plain HTTP request, without a Discord client. */
export async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${sandbox.apiUrl}/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${sandbox.botToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** One request to a control endpoint. */
export async function control(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${sandbox.url}/sandbox${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** The id of a person or channel. Throws if the name does not exist. */
export function idOf(names: Readonly<Record<string, string>>, name: string): string {
  const id = names[name];
  if (id === undefined) throw new Error(`There is no ${name} in the sandbox.`);
  return id;
}

export function sampleGuild(sandbox: Sandbox) {
  const guild = sandbox.getState(1000).guilds.find((each) => each.id === sandbox.guildId);
  if (!guild) throw new Error('The sample guild is missing.');
  return guild;
}
