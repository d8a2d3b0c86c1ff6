// Discord's document says which fields an answer must have. The bot works with these alone, and with fields of which
// nobody has heard.
import { freePort, verifies } from '@bailiff/core/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { checkDiscord } from '#src/doctor.ts';
import { type Saying, startReshaping } from './answer-shapes.ts';
import { guildForEachTest } from './each-test.ts';
import { type Stage, setStage } from './harness.ts';

let stage: Stage;
let discord: Awaited<ReturnType<typeof startReshaping>> | undefined;

describe.each<Saying>(['least', 'most'])('with answers that say the %s', (saying) => {
  guildForEachTest(
    (next) => {
      stage = next;
    },
    async () => {
      discord?.close();
      const port = await freePort();
      discord = await startReshaping(port, saying);
      return setStage({ port }, { DISCORD_API_URL: discord.apiUrl });
    },
  );
  afterAll(() => discord?.close());

  test('the guild is compared, and people are banned, unbanned, muted and kicked', async () => {
    verifies('bot.answer-shapes');
    const { people, act, row } = stage;
    await row('SELECT FROM members WHERE user_id = $1 AND display_name <> $2', [people.moderator, '']);
    const troll = { user_id: people.troll, reason: 'Spam' };
    expect((await act('mutes.add', 'owner', { ...troll, duration_minutes: 10 })).status).toBe(201);
    expect((await act('mutes.lift', 'owner', { userId: people.troll })).status).toBe(200);
    expect((await act('bans.add', 'owner', { ...troll, delete_message_seconds: 60 })).status).toBe(201);
    expect((await act('bans.lift', 'owner', { userId: people.troll })).status).toBe(200);
    expect((await act('members.kick', 'owner', { user_id: people.newcomer, reason: 'Rude' })).status).toBe(
      201,
    );
  });

  test('messages are purged and archived', async () => {
    verifies('bot.answer-shapes');
    const { people, sandbox, act } = stage;
    sandbox.control.messages({ user: 'troll', content: 'FREE COINS' });
    const purge = {
      channel_id: sandbox.channels.general,
      user_id: people.troll,
      count: 50,
      include_pinned: false,
    };
    const { body } = await act('messages.purge', 'owner', purge);
    expect(body).toMatchObject({ purge: { deleted: expect.any(Number) } });
    expect((body as { purge: { deleted: number } }).purge.deleted).toBeGreaterThan(0);
  });

  test('the doctor finds what it looks for', async () => {
    verifies('bot.answer-shapes');
    const { sandbox } = stage;
    const found = await checkDiscord({
      token: sandbox.botToken,
      clientId: sandbox.clientId,
      apiUrl: discord?.apiUrl ?? '',
      redirectUri: 'https://bailiff.example/api/auth/callback/discord',
      guildIds: [],
    });
    const wrong = found.filter(({ level }) => level === 'wrong').map(({ subject }) => subject);
    // A command that is told without its options is not ours.
    expect(wrong).toEqual(saying === 'least' ? ['Redirect', 'Commands'] : ['Redirect']);
  });
});
