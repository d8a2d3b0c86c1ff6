import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outranks } from '#src/permissions.ts';
import { matchRoute, ROUTES } from '#src/rest/routes.ts';
import { seedWorld } from '#src/seed.ts';
import { compareIds, snowflakeAt, snowflakeTime } from '#src/snowflake.ts';
import { idOf, sandboxForFile } from './rig.ts';

const snowflake = fc.bigInt({ min: 10n ** 16n, max: 2n ** 63n }).map(String);

describe('ids', () => {
  it('are ordered as numbers without becoming numbers', () => {
    fc.assert(
      fc.property(snowflake, snowflake, (a, b) => {
        expect(Math.sign(compareIds(a, b))).toBe(BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0);
      }),
    );
  });

  it('tell the moment they were made', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_420_070_400_000, max: 2_500_000_000_000 }),
        fc.nat(4_194_303),
        (timeMs, n) => {
          expect(snowflakeTime(snowflakeAt(timeMs, n))).toBe(timeMs);
        },
      ),
    );
  });
});

describe('rank', () => {
  it('is never mutual, and nobody outranks the owner', () => {
    const [guild] = seedWorld({ clientId: undefined, seed: 0 }).world.guilds.values();
    const members = [...(guild?.members.values() ?? [])];
    fc.assert(
      fc.property(fc.constantFrom(...members), fc.constantFrom(...members), (a, b) => {
        if (!guild) return;
        expect(outranks(guild, a, b) && outranks(guild, b, a)).toBe(false);
        if (b.user.id === guild.ownerId) expect(outranks(guild, a, b)).toBe(false);
      }),
    );
  });
});

describe('routes', () => {
  it.each(ROUTES.map((route) => [route.method, route.path, route] as const))(
    '%s %s finds itself',
    (method, path, route) => {
      const segments = path
        .replace(/\{\w+\}/g, '123456789012345678')
        .split('/')
        .slice(1);
      expect(matchRoute(method, segments)).toMatchObject({ kind: 'found', route });
    },
  );
});

describe('any request', () => {
  const sandbox = sandboxForFile({ validate: false, rateLimit: { limit: 1_000_000, windowSeconds: 1 } });

  it('gets an answer of Discord’s, never a failure of the sandbox', async () => {
    const running = sandbox.get();
    const ids = [
      running.guildId,
      running.clientId,
      idOf(running.people, 'troll'),
      idOf(running.channels, 'general'),
    ];
    const someId = fc.oneof(fc.constantFrom(...ids), snowflake, fc.constantFrom('@me', 'x', '0', '%E0%A4%A'));
    const names = [
      'content',
      'nick',
      'roles',
      'name',
      'type',
      'messages',
      'options',
      'embeds',
      'components',
      'data',
    ];
    const value = fc.jsonValue({ maxDepth: 2 });
    const body = fc.oneof(value, fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 4 }));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ROUTES),
        fc.array(someId, { minLength: 4, maxLength: 4 }),
        body,
        async (route, chosen, sent) => {
          let next = 0;
          const path = route.path.replace(/\{\w+\}/g, () => chosen[next++] ?? '1');
          const answer = await fetch(`${running.apiUrl}/v10${path}`, {
            method: route.method,
            headers: { authorization: `Bot ${running.botToken}`, 'content-type': 'application/json' },
            ...(route.method === 'GET' ? {} : { body: JSON.stringify(sent) }),
          });
          expect(answer.status).toBeLessThan(500);
          if (answer.status >= 400) expect(await answer.json()).toMatchObject({ code: expect.any(Number) });
          else await answer.arrayBuffer();
        },
      ),
      { numRuns: 400 },
    );
  });
});
