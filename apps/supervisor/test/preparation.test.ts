import { expect, onTestFinished, test } from 'vitest';
import { Preparation } from '#src/preparation.ts';
import { StartError } from '#src/start-error.ts';

test('a preparation that is ended answers nobody any more, and says so', async () => {
  const preparation = new Preparation();
  const checked = preparation.check().catch((error: unknown) => error);
  await preparation.end();
  expect(await checked).toBeInstanceOf(StartError);
  await preparation.end();
  await expect(preparation.check()).rejects.toThrow('The process that prepares the start ended with');
});

test('what fails in a preparation ends the start as it would here', async () => {
  const preparation = new Preparation();
  try {
    const migrated = preparation.migrate({
      ownerUrl: 'postgresql://nobody@127.0.0.1:1/nothing',
      processUrls: {
        bot: 'postgresql://bot@127.0.0.1:1/nothing',
        web: 'postgresql://web@127.0.0.1:1/nothing',
      },
      isConfigured: true,
    });
    const error = await migrated.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(error).toMatchObject({ exitCode: 1 });
    expect(String(error)).toContain('The database of DATABASE_URL (127.0.0.1:1/nothing) cannot be used');
  } finally {
    await preparation.end();
  }
});

test('people of a sandbox that does not answer have no names, and the start goes on', async () => {
  const preparation = new Preparation();
  onTestFinished(() => preparation.end());
  const sandbox = {
    type: 'ready',
    url: 'http://127.0.0.1:1',
    apiUrl: 'http://127.0.0.1:1/api',
    gatewayUrl: 'ws://127.0.0.1:1',
    guildId: '100000000000000001',
    otherGuildId: '100000000000000002',
    botToken: 'some.bot.token',
    clientId: '100000000000000000',
    clientSecret: 'a secret',
    servers: [],
    people: {},
    channels: {},
  } as const;
  expect(
    await preparation.fillSample({ ownerUrl: 'postgresql://nobody@127.0.0.1:1/nothing', sandbox }),
  ).toEqual({ servers: [], names: new Map() });
});
