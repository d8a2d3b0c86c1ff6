import { canBeDestructive, entryOf, type InputOf, isDestructive, type OperationName } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { anyCharacter } from '@bailiff/core/testing-samples';
import { openCase } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { grantRole, performersOf, seedWindow, snowflake } from '@bailiff/engine/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DOCUMENTED, type DocumentedOperation } from './contract.ts';
import {
  type Answer,
  type Call,
  NOTHING,
  type PublicApiHarness,
  sentinel,
  startPublicApi,
} from './harness.ts';
import { putEachInForce } from './put-in-force.ts';
import { purgedMessage, seedAppeal, seedApproval, seedIdentity, seedReport } from './read-calls.ts';
import {
  type DocumentedRequest,
  jsonWith,
  type Known,
  nearlyRight,
  oddNames,
  rightRequests,
  wildJson,
} from './requests.ts';

let api: PublicApiHarness;
let known: Known;

/** How many requests to make at least; a longer run sets FUZZ_REQUESTS=10000 (CONTRIBUTING.md). */
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_200);
/** The same seed makes the same requests. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);

const takesBody = ({ method }: DocumentedOperation) => method !== 'GET';
const hasFields = ({ body }: DocumentedOperation) => body !== undefined;
const hasParameters = ({ parameters }: DocumentedOperation) =>
  parameters.some(({ in: place }) => place !== 'header');

/** How large a share each kind of request has, and which operations can be sent such requests. */
const SHARES = {
  right: { share: 60, to: () => true },
  kept: { share: 20, to: hasFields },
  unknownField: { share: 25, to: () => true },
  nearlyRight: { share: 25, to: (operation) => nearlyRight(operation) !== null },
  wildBody: { share: 40, to: takesBody },
  anyBody: { share: 25, to: takesBody },
  wildParameter: { share: 25, to: hasParameters },
} satisfies Record<
  string,
  { readonly share: number; readonly to: (operation: DocumentedOperation) => boolean }
>;

const ALL_SHARES = DOCUMENTED.flatMap((operation) =>
  Object.values(SHARES).map(({ share, to }) => (to(operation) ? share : 0)),
).reduce((sum, share) => sum + share, 0);

/** How many requests of a kind each operation is sent. */
function runsOf(kind: keyof typeof SHARES) {
  return { seed: SEED, numRuns: Math.ceil((SHARES[kind].share * REQUESTS) / ALL_SHARES) };
}

/** The requests of this run, and those of them that passed the guard. */
const made = { requests: 0, passed: 0 };

/** Whether a call was charged: a call that any step of the guard refuses costs nothing (decisions: Request pipeline). */
function isCharged({ headers }: Answer): boolean {
  const left = Number(/"token";r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
  const quota = Number(/"token";q=(\d+)/.exec(headers.get('RateLimit-Policy') ?? '')?.[1]);
  return left < quota;
}

/** Performers that do nothing and answer as documented. */
const EXAMPLE_PERFORMERS = performersOf({
  ...NOTHING,
  perform: async ({ operation }) => ({
    state: 'done',
    write: async () => entryOf(operation).example.output as never,
  }),
});

beforeAll(async () => {
  api = await startPublicApi({ performers: EXAMPLE_PERFORMERS });
  await seedWindow(api.database, api.guild, api.token);
  known = await seedTargets();
  // So that a ticket can be handed to most of those whom the requests name.
  await grantRole(api.database, api.guild, api.guild.memberRoleId, ['tickets.write']);
});

// On a busy machine these tests take longer than a heartbeat is fresh.
beforeEach(() => api.database.pool.query('UPDATE gateway_shards SET heartbeat_at = now()'));

afterAll(async () => {
  await api.close();
});

async function seedTargets(): Promise<Known> {
  const { guild, database } = api;
  const cases: { readonly id: string }[] = [];
  // One after the other: a case is linked with one before it.
  for (const kind of ['strike', 'warning', 'ban', 'mute'] as const) {
    const opened = await inTransaction(database, (tx) =>
      openCase(tx, {
        guildId: guild.id,
        kind,
        userId: guild.memberId,
        reason: 'spam',
        issuedBy: guild.ownerId,
        durationMinutes: kind === 'mute' ? 60 : undefined,
        actionId: null,
        ...(kind === 'strike' ? { severity: 'minor' } : {}),
      }),
    );
    cases.push(opened);
  }
  const [strike, warning, ban, mute] = cases;
  // As imports bring them: a mute of which nobody knows how long it was, and one of two years.
  for (const durationMinutes of [0, 1_051_200]) {
    await inTransaction(database, (tx) =>
      openCase(tx, {
        guildId: guild.id,
        kind: 'mute',
        userId: snowflake(),
        reason: 'spam',
        issuedBy: guild.ownerId,
        durationMinutes,
        actionId: null,
      }),
    );
  }
  const { rows: tickets } = await database.pool.query(
    "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'help', $2) RETURNING id",
    [guild.id, guild.memberId],
  );
  const { rows: servers } = await database.pool.query(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'arena', 'game.example', 27015, '\\x00', $2) RETURNING id`,
    [guild.id, guild.ownerId],
  );
  await api.inGuild('/mutes', {
    method: 'POST',
    body: { user_id: guild.memberId, reason: 'spam', duration_minutes: 5 },
  });
  const { rows: actions } = await database.pool.query('SELECT id FROM actions');
  const { rows: running } = await database.pool.query(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
     VALUES ($1, 'messages.purge', '{}', '', 'running', 'chat', $2, 'req_running', now()) RETURNING id`,
    [guild.id, guild.ownerId],
  );
  await database.pool.query(
    `WITH lists AS (
        INSERT INTO person_lists (action_id, guild_id, kind, people) SELECT id, guild_id, 'ban', 1 FROM actions
        RETURNING action_id)
      INSERT INTO listed_people (list_id, place, line, user_id) SELECT action_id, 1, 1, '100000000000000001' FROM lists`,
  );
  const { rows: archives } = await database.pool.query(
    `INSERT INTO message_archives (guild_id, action_id, channel_id, messages, expires_at)
     VALUES ($1, $2, $3, $4, now() + interval '30 days') RETURNING id`,
    [guild.id, actions[0].id, snowflake(), JSON.stringify([purgedMessage('deleted')])],
  );
  await putEachInForce(database, guild);
  await database.pool.query(
    "INSERT INTO member_events (guild_id, user_id, at, kind, username) VALUES ($1, $2, now(), 'joined', 'hanna')",
    [guild.id, guild.memberId],
  );
  // The first stays, so that there is one to read; the others are there to be removed.
  const { rows: notes } = await database.pool.query<{ id: string }>(
    `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by)
     SELECT $1, $2, 'Ask the guards', $3 FROM generate_series(1, 3) RETURNING id`,
    [guild.id, tickets[0].id, guild.ownerId],
  );
  return {
    guildId: [guild.id],
    userId: [guild.memberId, guild.strangerId, guild.ownerId],
    user_id: [guild.memberId, guild.ownerId, guild.strangerId],
    channel_id: [snowflake()],
    caseId: [strike?.id ?? '', warning?.id ?? ''],
    strikeId: [strike?.id ?? ''],
    warningId: [warning?.id ?? ''],
    ticketId: [tickets[0].id],
    note_id: notes.slice(1).map(({ id }) => id),
    appealId: [
      await seedAppeal(database, guild, ban?.id ?? ''),
      await seedAppeal(database, guild, mute?.id ?? ''),
    ],
    reportId: [await seedReport(database, guild)],
    identity_id: [await seedIdentity(database, guild)],
    in_game_id: ['0002a10b3c4d5e6f70819293a4b5c6d7', 'Steve'],
    serverId: [servers[0].id],
    actionId: [actions[0].id, running[0].id],
    archiveId: [archives[0].id],
    approvalId: [await seedApproval(database, guild, api.token)],
  };
}

/** Sends a request as a careful client does: with its sentinel, and with full budgets. */
async function send(
  operation: DocumentedOperation,
  { params, query, body }: DocumentedRequest,
  more: Call = {},
): Promise<Answer> {
  await api.database.pool.query('DELETE FROM budgets');
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query);
  made.requests += 1;
  const answer = await api.call(`${path}${search.size === 0 ? '' : `?${search}`}`, {
    method: operation.method,
    address: `198.51.${(made.requests >> 8) & 255}.${made.requests & 255}`,
    ...(operation.method === 'GET' || body === undefined
      ? {}
      : { body: confirmed(operation.name, params, body) }),
    ...more,
  });
  expect(answer.status, JSON.stringify([operation.name, params, query, answer.body])).toBeLessThan(500);
  if (isCharged(answer)) made.passed += 1;
  return answer;
}

function confirmed(name: OperationName, params: object, body: object): Record<string, unknown> {
  const input = { ...params, ...body } as unknown as InputOf<OperationName>;
  if (!canBeDestructive(name) || !isDestructive(name, input)) return { ...body };
  return { ...body, _confirmation: sentinel(name, api.guild, input) };
}

const inOwnGuild = (request: DocumentedRequest): DocumentedRequest => ({
  ...request,
  params: { ...request.params, ...('guildId' in request.params ? { guildId: api.guild.id } : {}) },
});

describe.each(DOCUMENTED.map((operation) => [operation.name, operation] as const))(
  '%s',
  (_name, operation) => {
    it('understands every request the document allows, and answers as it says', async () => {
      const statuses = new Set<number>();
      if (operation.method === 'GET') {
        // Without a filter, so that there are rows to check.
        const params = Object.fromEntries(Object.entries(known).map(([name, [first = '']]) => [name, first]));
        const answer = await send(operation, { params, query: {} });
        operation.expectAnswer(answer, operation.path);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        if ('data' in answer.body) expect(answer.body.data, operation.path).not.toEqual([]);
      }
      await fc.assert(
        fc.asyncProperty(rightRequests(operation, known), async (request) => {
          const answer = await send(operation, request);
          operation.expectAnswer(answer, JSON.stringify(request));
          expect([400, 401, 413, 422, 429], JSON.stringify([request, answer.body])).not.toContain(
            answer.status,
          );
          statuses.add(answer.status);
        }),
        runsOf('right'),
      );
      // Enough requests must reach the operation, otherwise the test shows nothing.
      expect(
        [...statuses].some((status) => status < 300),
        [...statuses].join(),
      ).toBe(true);
    });

    it('keeps what it is sent, to the letter', async () => {
      verifies('H7');
      if (!hasFields(operation)) return;
      await fc.assert(
        fc.asyncProperty(rightRequests(operation, known), async (given) => {
          const request = inOwnGuild(given);
          const answer = await send(operation, request);
          const { rows } = await api.database.pool.query<{ input: object; request_id: string }>(
            'SELECT input FROM actions WHERE request_id = $1',
            [answer.headers.get('X-Request-Id')],
          );
          if (answer.status >= 300) return;
          const { guildId: _, ...params } = request.params;
          expect(rows[0]?.input).toMatchObject({ ...request.body, ...params });
        }),
        runsOf('kept'),
      );
    });

    it('refuses a field it does not know', async () => {
      const names = oddNames.filter(
        (name) => operation.body?.properties?.[name] === undefined && name !== '_confirmation',
      );
      await fc.assert(
        fc.asyncProperty(rightRequests(operation, known), names, wildJson, async (given, name, wild) => {
          fc.pre(!operation.parameters.some((parameter) => parameter.name === name));
          const request = inOwnGuild(given);
          if (operation.method === 'GET') {
            const answer = await send(operation, { ...request, query: { ...request.query, [name]: 'x' } });
            operation.expectAnswer(answer, JSON.stringify([request, name]));
            expect(answer.status, JSON.stringify([name, answer.body])).toBe(400);
            return;
          }
          const body = jsonWith(confirmed(operation.name, request.params, request.body ?? {}), {
            [name]: wild,
          });
          const answer = await send(operation, request, { body });
          operation.expectAnswer(answer, body);
          expect([answer.status, answer.body.error?.code], body).toEqual([422, 'VALIDATION_FAILED']);
        }),
        runsOf('unknownField'),
      );
    });

    it('refuses what is nearly right, and says so as documented', async () => {
      const fields = nearlyRight(operation);
      if (fields === null) return;
      await fc.assert(
        fc.asyncProperty(rightRequests(operation, known), fields, async (given, near) => {
          const right = inOwnGuild(given);
          const request = {
            ...right,
            params: { ...right.params, ...near.params },
            query: { ...right.query, ...near.query },
          };
          const body = { ...confirmed(operation.name, right.params, right.body ?? {}), ...near.body };
          const answer = await send(operation, request, operation.method === 'GET' ? {} : { body });
          operation.expectAnswer(answer, JSON.stringify([request, body]));
          expect([400, 403, 404, 422], JSON.stringify([request, body, answer.body])).toContain(answer.status);
          if (near.body === undefined) return;
          expect([operation.allows(body), answer.status], JSON.stringify(body)).toEqual([false, 422]);
        }),
        runsOf('nearlyRight'),
      );
    });

    it('answers wild JSON as documented, and accepts nothing that the document refuses', async () => {
      verifies('H7');
      if (!takesBody(operation)) return;
      const fields = Object.keys(operation.body?.properties ?? {});
      const corrupted = fc.dictionary(fields.length === 0 ? oddNames : fc.constantFrom(...fields), wildJson, {
        minKeys: 1,
        maxKeys: 3,
      });
      await fc.assert(
        fc.asyncProperty(rightRequests(operation, known), corrupted, async (given, wild) => {
          const request = inOwnGuild(given);
          const body = jsonWith(confirmed(operation.name, request.params, request.body ?? {}), wild);
          const answer = await send(operation, request, { body });
          operation.expectAnswer(answer, body.slice(0, 500));
          if (!operation.allows(JSON.parse(body))) {
            expect([400, 413, 422], `${body.slice(0, 500)}: ${answer.status}`).toContain(answer.status);
          }
        }),
        runsOf('wildBody'),
      );
    });

    it('answers a body that is anything at all as documented', async () => {
      verifies('H7');
      if (!takesBody(operation)) return;
      const bodies = fc.oneof(wildJson, fc.string({ unit: anyCharacter, minLength: 1, maxLength: 50 }));
      await fc.assert(
        fc.asyncProperty(rightRequests(operation, known), bodies, async (given, body) => {
          const answer = await send(operation, inOwnGuild(given), { body });
          operation.expectAnswer(answer, body.slice(0, 200));
        }),
        runsOf('anyBody'),
      );
    });

    it('answers wild path and query parameters as documented', async () => {
      const text = fc.oneof(
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 20 }),
        fc.constantFrom(
          '..',
          '.',
          '%',
          '%00',
          '\u0000',
          '/',
          '\\',
          '-1',
          '1e9',
          'true',
          'null',
          '__proto__',
          '0x10',
        ),
      );
      const places = operation.parameters.filter(({ in: place }) => place !== 'header');
      if (places.length === 0) return;
      await fc.assert(
        fc.asyncProperty(
          rightRequests(operation, known),
          fc.constantFrom(...places),
          text,
          async (given, place, value) => {
            const key = place.in === 'path' ? 'params' : 'query';
            // The client resolves dot segments before it sends (URL standard), so the path is another one.
            fc.pre(place.in === 'query' || !['.', '..'].includes(value));
            const request = { ...given, [key]: { ...given[key], [place.name]: value } };
            const answer = await send(operation, request);
            operation.expectAnswer(answer, JSON.stringify(request));
          },
        ),
        runsOf('wildParameter'),
      );
    });
  },
);

it('made as many requests as it was told, and of ten at least three passed the guard', () => {
  verifies('openapi.fuzz');
  expect(made.requests).toBeGreaterThanOrEqual(REQUESTS);
  expect(made.passed / made.requests).toBeGreaterThanOrEqual(0.3);
});
