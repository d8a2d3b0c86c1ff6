import { verifies } from '@bailiff/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CONFIRM_WITHIN_MS, Confirmations } from '#src/chat/confirmations.ts';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { bot, limitPerforming } from './harness.ts';

let stage: ChatStage;
const { spoil } = chatGuildForEachTest({ Moderator: ['messages.purge'] }, async (next) => {
  stage = next;
  await limitPerforming(next);
});

const write = (user: string, count: number) =>
  stage.sandbox.control.messages({ user, channel: 'off-topic', content: 'coins', count });

function left(user?: string) {
  const id = stage.sandbox.channels.off_topic;
  const channel = stage.sandbox
    .getState(1000)
    .guilds.flatMap(({ channels }) => channels)
    .find((each) => each.id === id);
  const messages = channel?.messages ?? [];
  const author = user === undefined ? undefined : stage.people[user];
  return messages.filter((message) => author === undefined || message.author.id === author);
}

async function ask(options: Record<string, string | number | boolean>) {
  const { message } = await stage.does({
    type: 'command',
    user: 'moderator',
    command: 'purge',
    channel: 'off-topic',
    options,
  });
  return { content: message?.content ?? '', message_id: message?.id ?? '', button: buttonOf(message) };
}

function buttonOf(message: { components?: readonly object[] } | null): string | undefined {
  const [row] = (message?.components ?? []) as { components?: { custom_id?: string }[] }[];
  return row?.components?.[0]?.custom_id;
}

const press = ({ message_id, button = '' }: { message_id: string; button?: string | undefined }) =>
  stage.does({ type: 'button', user: 'moderator', message_id, custom_id: button });

const deletions = () =>
  stage.sandbox.requests.filter(({ method, path }) => /bulk-delete$/.test(path) || method === 'DELETE');

test('/purge says how many it would delete, and deletes those and no others once its button is pressed', async () => {
  write('troll', 30);
  write('member', 5);
  const others = left().length - 30;
  const asked = await ask({ count: 100, user: 'troll' });
  expect(asked.content).toMatch(/^This would delete 30 messages in <#\d+>\..* works for 2 minutes\.$/);
  expect(deletions()).toEqual([]);
  // Written while the moderator reads the question: not in the count, so not deleted.
  const later = write('troll', 2).messages.map(({ id }) => id);
  const pressed = await press(asked);
  expect(pressed.message?.content).toMatch(
    /^Done\. Deleted 30 messages in <#\d+>\. They are kept for 30 days\.$/,
  );
  expect(buttonOf(pressed.message)).toBeUndefined();
  expect(
    left('troll')
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(later.toSorted());
  expect(left()).toHaveLength(others + 2);
  await stage.row("SELECT FROM audit WHERE operation = 'messages.purge' AND actor_source = 'chat'");
});

test('the button works once', async () => {
  write('troll', 3);
  const asked = await ask({ count: 3, user: 'troll' });
  // Two presses at the same moment, as from an impatient person. The second may find the button already gone.
  await Promise.allSettled([press(asked), press(asked)]);
  expect(left('troll')).toEqual([]);
  const { rows } = await stage.test.database.pool.query(
    "SELECT FROM actions WHERE operation = 'messages.purge'",
  );
  expect(rows).toHaveLength(1);
});

test('the two minutes of the button begin when it is shown, however long the counting took', async () => {
  // The clock of requests to Discord goes back with it afterwards.
  spoil();
  write('troll', 3);
  let aheadMs = 0;
  const clocks = ([Date, performance] as const).map((clock) => {
    const now = clock.now.bind(clock);
    return vi.spyOn(clock, 'now').mockImplementation(() => now() + aheadMs);
  });
  onTestFinished(() => {
    for (const clock of clocks) clock.mockRestore();
  });
  const { control } = stage.sandbox;
  const route = '/channels/{channel_id}/messages';
  control.addFault({ method: 'GET', route, held: true });
  const asking = ask({ count: 3, user: 'troll' });
  await stage.sandbox.until(() =>
    stage.sandbox.requests.some((request) => request.method === 'GET' && request.route === route),
  );
  aheadMs += 44_000;
  control.clearFaults();
  const asked = await asking;
  aheadMs += 80_000;
  expect((await press(asked)).message?.content).toMatch(/^Done\. Deleted 3 messages/);
});

test('nobody else sees the button', async () => {
  write('troll', 3);
  const { message_id, button = '' } = await ask({ count: 3, user: 'troll' });
  const other = stage.does({ type: 'button', user: 'owner', message_id, custom_id: button });
  await expect(other).rejects.toThrow(/does not see/);
  expect(left('troll')).toHaveLength(3);
});

test('a button that a restart has made forget is said to have lapsed, and deletes nothing', async () => {
  write('troll', 3);
  const asked = await ask({ count: 3, user: 'troll' });
  await stage.bot.stop();
  const again = await bot(stage.config);
  await again.settled;
  const { message } = await press(asked);
  expect(message?.content).toMatch(/^This button has lapsed.*Give the command again\.$/);
  expect(buttonOf(message)).toBeUndefined();
  expect(left('troll')).toHaveLength(3);
  await again.stop();
});

test('a purge of nothing has no button', async () => {
  const asked = await ask({ count: 10, contains: 'no such words' });
  expect(asked.content).toMatch(/^There is nothing to delete in/);
  expect(asked.button).toBeUndefined();
});

test('without the capability nothing is counted, and the capability is needed again when the button is pressed', async () => {
  verifies('bot.chat.same-capability');
  write('troll', 3);
  const reads = () =>
    stage.sandbox.requests.filter(
      ({ method, route }) => method === 'GET' && route === '/channels/{channel_id}/messages',
    ).length;
  const before = reads();
  expect(await stage.says('admin', 'purge', { count: 5 }, 'off-topic')).toMatch(
    /^Not done\..*messages\.purge/,
  );
  expect(reads()).toBe(before);
  const asked = await ask({ count: 3, user: 'troll' });
  expect(reads()).toBeGreaterThan(before);
  await stage.test.database.pool.query('DELETE FROM role_grants');
  const { message } = await press(asked);
  expect(message?.content).toMatch(/^Not done\..*messages\.purge/);
  expect(left('troll')).toHaveLength(3);
});

test('a permission that the bot lacks is named before anything is asked', async () => {
  stage.sandbox.control.addFault({
    method: 'GET',
    route: '/channels/{channel_id}/messages',
    status: 403,
    body: { code: 50013, message: 'Missing Permissions' },
  });
  const asked = await ask({ count: 3 });
  expect(asked.content).toMatch(/^Not done\. .*View Channel, Read Message History/);
  expect(asked.button).toBeUndefined();
});

test('"Purge from here" deletes the message and all behind it', async () => {
  const before = left().length;
  const ids = write('member', 4).messages.map(({ id }) => id);
  const { message } = await stage.does({
    type: 'message_menu',
    user: 'moderator',
    command: 'Purge from here',
    channel: 'off-topic',
    target: ids[1] ?? '',
  });
  expect(message?.content).toMatch(/^This would delete 3 messages/);
  await press({ message_id: message?.id ?? '', button: buttonOf(message) });
  expect(left()).toHaveLength(before + 1);
  expect(left().some(({ id }) => id === ids[0])).toBe(true);
});

test('a question takes one press, of who asked, within its time', () => {
  const questions = new Confirmations<string>();
  const id = questions.ask('1', 1000, 'purge');
  expect(questions.press(id, '2', 1001)).toBeNull();
  expect(questions.press(id, '1', 1000 + CONFIRM_WITHIN_MS)).toBe('purge');
  expect(questions.press(id, '1', 1002)).toBeNull();
  const late = questions.ask('1', 1000, 'purge');
  expect(questions.press(late, '1', 1001 + CONFIRM_WITHIN_MS)).toBeNull();
});

test('what is read stays, for who asked', () => {
  const questions = new Confirmations<string>();
  const id = questions.ask('1', 1000, 'subject');
  expect(questions.read(id, '2')).toBeNull();
  for (const _ of [1, 2]) expect(questions.read(id, '1')).toBe('subject');
});

test('of too many questions the oldest give way', () => {
  const questions = new Confirmations<number>();
  const ids = Array.from({ length: 1001 }, (_, at) => questions.ask(String(at), 0, at));
  expect(questions.press(ids[0] ?? '', '0', 1)).toBeNull();
  expect(questions.press(ids[1] ?? '', '1', 1)).toBe(1);
  expect(questions.press(ids[1000] ?? '', '1000', 1)).toBe(1000);
});

test('of too many questions of one person their own oldest give way, and those of others stay', () => {
  const questions = new Confirmations<number>();
  const other = questions.ask('2', 0, 0);
  const ids = Array.from({ length: 1001 }, (_, at) => questions.ask('1', 0, at));
  expect(questions.press(other, '2', 1)).toBe(0);
  const asked = ids.filter((id) => questions.press(id, '1', 1) !== null);
  expect(asked).toEqual(ids.slice(-5));
});

/** Begins a purge of a thousand messages. `answer` finds the moderator's answer once it reads so. */
async function beginLongPurge() {
  write('troll', 1000);
  const { control } = stage.sandbox;
  const command = { type: 'command', user: 'moderator', command: 'purge', channel: 'off-topic' } as const;
  const asked = await control.interact({
    ...command,
    options: { count: 1000, user: 'troll' },
  });
  const press = (message: typeof asked.message, user = 'moderator') =>
    control.interact({
      type: 'button',
      user,
      message_id: message?.id ?? '',
      custom_id: buttonOf(message) ?? '',
      wait_ms: 0,
    });
  expect(asked.message?.content).toMatch(/^This would delete 1,?000 messages/);
  await press(asked.message);
  const answer = (fits: RegExp) =>
    stage.sandbox.until(
      ({ interactions }) =>
        interactions.map(({ message }) => message).find((message) => fits.test(message?.content ?? '')),
      180_000,
      `the answer ${fits}`,
    );
  return { press, answer };
}

const GOES_ON = /^Deleted [1-9]\d* of 1,?000 messages, going on\.$/;

/** Checks that the purge ended before its end, and that its answer says who stopped it. */
function expectStopped(ended: { content: string; components?: readonly object[] } | null, by = ''): void {
  const deleted = 1000 - left('troll').length;
  expect(deleted).toBeGreaterThan(0);
  expect(deleted).toBeLessThan(1000);
  expect(ended?.content).toContain(`Deleted ${deleted} `);
  expect(ended?.content).toContain(`<@${stage.people[by]}> stopped it before the end.`);
  expect(ended?.components).toEqual([]);
}

test('a long purge shows in its answer how far it has got, and stops at a button', async () => {
  verifies('purge.long', 'bot.chat.stop');
  const { press, answer } = await beginLongPurge();
  await press(await answer(GOES_ON));
  expectStopped(await answer(/^Done\. Deleted/), 'moderator');
});

test('the end of a long purge takes the place of how far it had got after Discord has lost it three times', async () => {
  verifies('purge.long');
  const { press, answer } = await beginLongPurge();
  const { control } = stage.sandbox;
  const lost = { contains: 'Done. Deleted', status: 500 };
  control.addFault({ method: 'PATCH', route: '/webhooks/*/*/messages/*', times: 2, ...lost });
  control.addFault({ method: 'POST', route: '/webhooks/*/*', ...lost });
  await press(await answer(GOES_ON));
  expectStopped(await answer(/^Done\. Deleted/), 'moderator');
  expect(control.listFaults()).toEqual([]);
});

test('whoever may do the same stops a long purge with /stop, and nobody else', async () => {
  verifies('bot.chat.stop');
  const { answer } = await beginLongPurge();
  await answer(GOES_ON);
  const typing = { type: 'autocomplete', command: 'stop', focused: 'action', channel: 'general' } as const;
  const suggested = async (user: string, action = '') =>
    (await stage.does({ ...typing, user, options: { action } })).choices;
  expect(await suggested('admin')).toEqual([]);
  const [choice] = ((await suggested('owner')) ?? []) as { name: string; value: string }[];
  expect(await suggested('owner', 'ticket')).toEqual([]);
  expect(await suggested('owner', ' PURGE')).toHaveLength(1);
  expect(choice?.name).toMatch(/^Purge messages #off-topic: Deleted \d+ of 1,?000 messages, going on\.$/);
  const action = choice?.value ?? '';
  expect(await stage.says('admin', 'stop', { action })).toMatch(/needs the capability messages\.purge/);
  expect(await stage.says('owner', 'stop', { action })).toBe(
    'It stops before its next step. What it has done by then stays done.',
  );
  expectStopped(await answer(/^Done\. Deleted/), 'owner');
  expect(await stage.says('owner', 'stop', { action })).toMatch(/had ended before it could be stopped/);
});

test('where Discord changes answers slowly, how far a purge has got comes in no message of its own', async () => {
  verifies('purge.long');
  const { press, answer } = await beginLongPurge();
  const { control } = stage.sandbox;
  const route = '/webhooks/*/*/messages/*';
  control.addFault({ method: 'PATCH', route, when: 'after', delay_ms: 2_500, times: null });
  const first = await answer(GOES_ON);
  const shown = first?.content;
  await stage.sandbox.until(({ interactions }) =>
    interactions.some(({ message }) => GOES_ON.test(message?.content ?? '') && message?.content !== shown),
  );
  const added = stage.sandbox.requests.filter(
    ({ method, path }) => method === 'POST' && /^\/webhooks\/\d+\/[^/]+$/.test(path),
  );
  expect(added).toEqual([]);
  control.clearFaults();
  await press(await answer(GOES_ON));
  expectStopped(await answer(/^Done\. Deleted/), 'moderator');
});

test('a purge that takes almost fifteen minutes is said to go on, before Discord takes no change of the answer any more', async () => {
  verifies('purge.long');
  const [least, most] = [13 * 60_000, 15 * 60_000];
  const whole = AbortSignal.timeout.bind(AbortSignal);
  const limits = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => limits.mockRestore());
  const over: number[] = [];
  limits.mockImplementation((ms) => {
    if (ms < least || ms >= most) return whole(ms);
    over.push(ms);
    return whole(0);
  });
  const { answer } = await beginLongPurge();
  await answer(/^This goes on, but its answer can no longer be changed\./);
  expect(over).toHaveLength(1);
});

/** Last, because the bot does not come back. */
test('a moderator whose bot is replaced during a purge is told that it goes on, and not that it was not done', async () => {
  verifies('purge.long');
  const { answer } = await beginLongPurge();
  await answer(GOES_ON);
  await stage.bot.stop();
  await answer(/^This goes on, but its answer can no longer be changed\./);
});
