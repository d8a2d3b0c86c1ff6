import { entryOf, OAUTH_PATHS, openApiDocument, pathParams, REST_OPERATION_NAMES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { banWire, type CaseKind, muteWire, openCase } from '@bailiff/engine/cases/cases';
import { inTransaction } from '@bailiff/engine/database/transaction';
import { type FakePerformer, seedGuild, seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { destructiveCalls, openRemovable } from './destructive-calls.ts';
import { ALL_NOTHING, NOTHING, type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

/** Records the case of a ban or mute, as the bot does after Discord has performed it. */
function recording(kind: 'ban' | 'mute'): FakePerformer {
  return {
    ...NOTHING,
    perform: async (action) => {
      const { user_id, reason, duration_minutes } = action.input as {
        user_id: string;
        reason: string;
        duration_minutes?: number;
      };
      return {
        state: 'done',
        write: async (tx) => {
          const row = await openCase(tx, {
            guildId: action.guildId,
            kind,
            userId: user_id,
            reason,
            issuedBy: action.actor.userId,
            durationMinutes: duration_minutes,
            actionId: action.id,
          });
          return (kind === 'ban' ? { ban: banWire(row) } : { mute: muteWire(row) }) as never;
        },
      };
    },
  };
}

beforeAll(async () => {
  api = await startPublicApi({
    performers: { ...ALL_NOTHING, 'bans.add': recording('ban'), 'mutes.add': recording('mute') },
  });
  await seedWindow(api.database, api.guild, api.token);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets, cases, tickets CASCADE'));

const LISTS = ['/strikes', '/bans', '/mutes', '/tickets', '/servers', '/audit'];

function seedCase(kind: CaseKind) {
  return inTransaction(api.database, (tx) =>
    openCase(tx, {
      guildId: api.guild.id,
      kind,
      userId: api.guild.memberId,
      reason: 'spam',
      issuedBy: api.guild.ownerId,
      actionId: null,
      durationMinutes: kind === 'mute' ? 60 : undefined,
      ...(kind === 'strike' ? { severity: 'minor' } : {}),
    }),
  );
}

async function seedTicket(): Promise<string> {
  const { rows } = await api.database.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, channel_id) VALUES ($1, 1, 'help', $2, $3)
     RETURNING id`,
    [api.guild.id, api.guild.memberId, api.guild.strangerId],
  );
  return rows[0].id;
}

async function seedServer(): Promise<void> {
  await api.database.pool.query(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'arena', 'game.example', 27015, '\\x00', $2)`,
    [api.guild.id, api.guild.ownerId],
  );
}

describe('a list', () => {
  it('is a page with its items and the next cursor', async () => {
    verifies('paging.envelope');
    for (let n = 0; n < 2; n += 1) {
      for (const kind of ['strike', 'ban', 'mute'] as const) await seedCase(kind);
      await api.database.pool.query(
        "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, $2, 'help', $3)",
        [api.guild.id, n + 1, api.guild.memberId],
      );
      await seedServer();
      await api.inGuild(`/tickets/tkt_${'0'.repeat(32)}/claim`, { method: 'POST' });
    }
    for (const list of LISTS) {
      const first = await api.inGuild(`${list}?limit=1`);
      expect(first.status, list).toBe(200);
      expect(Object.keys(first.body).sort(), list).toEqual(['data', 'next_cursor']);
      expect(first.body.data, list).toHaveLength(1);
      expect(first.body.next_cursor, list).toEqual(expect.any(String));
      const all = await api.inGuild(`${list}?limit=100`);
      expect(Object.keys(all.body).sort(), list).toEqual(['data', 'next_cursor']);
      expect(all.body.next_cursor, list).toBeNull();
    }
    await api.database.pool.query('DELETE FROM game_servers');
  });

  it('of nothing is an empty page', async () => {
    verifies('paging.empty');
    const guild = await seedGuild(api.database);
    const token = await seedToken(api.database, guild);
    // The audit log comes first, because it then contains these reads.
    for (const list of [...LISTS].reverse()) {
      const { status, body } = await api.call(`/guilds/${guild.id}${list}?limit=10`, { token });
      expect([status, body], list).toEqual([200, { data: [], next_cursor: null }]);
    }
    const later = await api.call(`/guilds/${guild.id}/audit?since=2099-01-01T00:00:00Z`, { token });
    expect([later.status, later.body]).toEqual([200, { data: [], next_cursor: null }]);
  });
});

describe('the wire', () => {
  /** Every field name with its value. */
  function fieldsOf(value: unknown): [string, unknown][] {
    if (Array.isArray(value)) return value.flatMap(fieldsOf);
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) => [
      [name, inner] as [string, unknown],
      ...fieldsOf(inner),
    ]);
  }

  async function everyAnswer() {
    const removable = await openRemovable(api.database, api.guild);
    await seedCase('ban');
    await seedCase('mute');
    const ticketId = await seedTicket();
    await seedServer();
    const answers = [await api.call('/me')];
    for (const { operation, method, path, body, concrete } of destructiveCalls(api.guild, removable)) {
      await api.database.pool.query("DELETE FROM budgets WHERE tier = 'destructive_write'");
      const answer = await api.inGuild(path, { method, body: { ...body, _confirmation: concrete } });
      expect(answer.status, operation).toBeLessThan(300);
      answers.push(answer, await api.inGuild(path, { method, body: { ...body, _confirmation: 'NO' } }));
    }
    answers.push(await api.inGuild(`/tickets/${ticketId}/claim`, { method: 'POST' }));
    answers.push(await api.inGuild(`/tickets/${ticketId}/unclaim`, { method: 'POST' }));
    const { rows } = await api.database.pool.query(
      "SELECT id FROM actions WHERE operation = 'bans.add' LIMIT 1",
    );
    for (const path of [
      ...LISTS,
      `/strikes/${removable.strikeId}`,
      `/bans/${api.guild.memberId}`,
      `/tickets/${ticketId}`,
      `/members/${api.guild.memberId}`,
      `/actions/${rows[0].id}`,
    ]) {
      const answer = await api.inGuild(path);
      expect(answer.status, path).toBe(200);
      answers.push(answer);
    }
    answers.push(await api.inGuild('/strikes?limit=0'), await api.call('/me', { token: '' }));
    await api.database.pool.query('DELETE FROM game_servers');
    return answers;
  }

  it('names its fields in snake_case, and gives Discord’s ids as strings', async () => {
    verifies('format.snake-case', 'format.snowflake');
    const fields = (await everyAnswer()).flatMap(({ body }) => fieldsOf(body));
    expect(fields.length).toBeGreaterThan(200);
    const seen = new Set<string>();
    for (const [name, value] of fields) {
      expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      if (!/^(user_id|guild_id|channel_id|issuer_id|\w+_by)$/.test(name) || value === null) continue;
      expect(value, name).toMatch(/^\d{17,20}$/);
      seen.add(name);
    }
    for (const name of ['user_id', 'channel_id', 'issued_by', 'opened_by']) expect(seen).toContain(name);
  });

  it('names its fields so in every input and output there is', () => {
    verifies('format.snake-case');
    for (const name of REST_OPERATION_NAMES) {
      const { input, output } = entryOf(name);
      const inPath = pathParams(name);
      const properties = [
        ...propertiesOf(z.toJSONSchema(input, { io: 'input' })).filter((field) => !inPath.includes(field)),
        ...propertiesOf(z.toJSONSchema(output, { io: 'output' })),
      ];
      for (const property of properties) expect(property, name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    }
  });

  function propertiesOf(schema: unknown): string[] {
    if (Array.isArray(schema)) return schema.flatMap(propertiesOf);
    if (typeof schema !== 'object' || schema === null) return [];
    return Object.entries(schema).flatMap(([key, inner]) =>
      key === 'properties'
        ? [...Object.keys(inner), ...Object.values(inner).flatMap(propertiesOf)]
        : propertiesOf(inner),
    );
  }

  it('takes a Discord id as a string of 17 to 20 digits only', async () => {
    verifies('format.snowflake');
    const { memberId } = api.guild;
    const wrong = [
      Number(memberId),
      '1'.repeat(16),
      '1'.repeat(21),
      'x'.repeat(18),
      `${memberId}x`,
      '',
      null,
    ];
    const bodies: [string, string, object][] = [
      ['/strikes', 'user_id', { reason: 'x', severity: 'minor' }],
      ['/bans', 'user_id', { reason: 'x' }],
      ['/mutes', 'user_id', { reason: 'x', duration_minutes: 5 }],
      ['/mass-purge', 'channel_id', { count: 5 }],
      ['/mass-purge', 'user_id', { count: 5, channel_id: memberId }],
    ];
    for (const [path, field, rest] of bodies) {
      const codeOf = async (value: unknown) => {
        const { status, body } = await api.inGuild(path, {
          method: 'POST',
          body: { ...rest, [field]: value },
        });
        return `${status} ${body.error?.code ?? ''}`;
      };
      for (const value of wrong)
        expect(await codeOf(value), `${path} ${value}`).toBe('422 VALIDATION_FAILED');
      for (const length of [17, 20])
        expect(await codeOf('1'.repeat(length))).not.toContain('VALIDATION_FAILED');
    }
  });

  it('lives below /api/public/v1/', async () => {
    verifies('format.path-v1');
    const { paths, servers } = openApiDocument('https://api.example') as {
      paths: Record<string, object>;
      servers?: { url: string }[];
    };
    const base = new URL(servers?.[0]?.url ?? 'https://api.example').pathname;
    const ofApi = Object.fromEntries(
      Object.entries(paths).filter(([path]) => !Object.values<string>(OAUTH_PATHS).includes(path)),
    );
    const all = Object.keys(ofApi).map((path) => `${base === '/' ? '' : base}${path}`);
    const described = Object.values(ofApi).flatMap((path) =>
      Object.keys(path).filter((method) => /^(get|post|patch|delete)$/.test(method)),
    );
    expect(described).toHaveLength(REST_OPERATION_NAMES.length);
    for (const path of all) expect(path).toMatch(/^\/api\/public\/v1\//);
  });
});

describe('bounds', () => {
  async function codeOf(path: string, body: object): Promise<string> {
    await api.database.pool.query('TRUNCATE budgets');
    const { status, body: answer } = await api.inGuild(path, { method: 'POST', body });
    return status < 300 ? 'accepted' : `${status} ${answer.error.code}`;
  }
  const INVALID = '422 VALIDATION_FAILED';

  it('of a severity: minor or major', async () => {
    verifies('strikes.add.severity');
    for (const severity of ['minor', 'major']) {
      const input = { user_id: api.guild.memberId, reason: 'x', severity };
      const _confirmation = sentinel('strikes.add', api.guild, input);
      expect(await codeOf('/strikes', { ...input, _confirmation })).toBe('accepted');
    }
    for (const severity of ['MINOR', 'Major', 'severe', '', 1, null, undefined]) {
      const body = { user_id: api.guild.memberId, reason: 'x', severity };
      expect(await codeOf('/strikes', body), String(severity)).toBe(INVALID);
    }
  });

  it('of the messages deleted with a ban: 0 to 604800 seconds', async () => {
    verifies('bans.add.delete-messages');
    const input = { user_id: api.guild.memberId, reason: 'x' };
    const _confirmation = sentinel('bans.add', api.guild, input);
    const withSeconds = (delete_message_seconds: unknown) =>
      codeOf('/bans', { ...input, delete_message_seconds, _confirmation });
    for (const seconds of [0, 1, 604_800]) expect(await withSeconds(seconds)).toBe('accepted');
    for (const seconds of [-1, 604_801, 0.5, '60']) expect(await withSeconds(seconds)).toBe(INVALID);
  });

  it('of a mute: 1 to 525600 minutes', async () => {
    verifies('mutes.add.range');
    const withMinutes = (duration_minutes: unknown) => {
      const input = { user_id: api.guild.memberId, reason: 'x', duration_minutes };
      return codeOf('/mutes', { ...input, _confirmation: sentinel('mutes.add', api.guild, input) });
    };
    for (const minutes of [1, 1440, 1441, 525_600]) expect(await withMinutes(minutes)).toBe('accepted');
    for (const minutes of [0, 525_601, undefined, 1.5, '5']) expect(await withMinutes(minutes)).toBe(INVALID);
  });

  it('of a purge: 1 to 1000 messages', async () => {
    verifies('purge.count-range');
    const withCount = (count: unknown) => {
      const input = { channel_id: api.guild.strangerId, count };
      return codeOf('/mass-purge', { ...input, _confirmation: sentinel('messages.purge', api.guild, input) });
    };
    for (const count of [1, 1000]) expect(await withCount(count)).toBe('accepted');
    for (const count of [0, 1001, undefined, 1.5, '5']) expect(await withCount(count)).toBe(INVALID);
  });

  it('of a command: 1 to 1446 bytes of UTF-8 on one line', async () => {
    verifies('rcon.command.length', 'rcon.command.one-line');
    const serverId = `srv_${'0'.repeat(32)}`;
    const withCommand = (command: string) => {
      const _confirmation = sentinel('servers.rcon', api.guild, { serverId, command });
      return codeOf(`/servers/${serverId}/rcon/run`, { command, _confirmation });
    };
    for (const command of ['a', 'a'.repeat(1446), 'ä'.repeat(723), '😀'.repeat(361)]) {
      expect(await withCommand(command)).toBe('accepted');
    }
    for (const command of ['', 'a'.repeat(1447), `a${'ä'.repeat(723)}`, '😀'.repeat(362)]) {
      expect(await withCommand(command)).toBe(INVALID);
    }
    for (const command of ['a\nb', 'a\r\nb', 'a\rb', 'list\n', 'a\u2028b', 'a\u0085b']) {
      expect(await withCommand(command), JSON.stringify(command)).toBe(INVALID);
    }
  });
});

it('a claimed ticket is open again once it is unclaimed, without a body', async () => {
  verifies('tickets.unclaim');
  const id = await seedTicket();
  await api.inGuild(`/tickets/${id}/claim`, { method: 'POST' });
  const { status, body } = await api.inGuild(`/tickets/${id}/unclaim`, { method: 'POST' });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['ticket']);
  expect(body.ticket).toMatchObject({ id, status: 'open', claimed_by: null, claimed_at: null });
  expect((await api.inGuild(`/tickets/${id}`)).body).toEqual(body.ticket);
});
