import { untilShown, verifies } from '@bailiff/core/testing';
import type { FaultRequest } from '@bailiff/sandbox';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { soonEnough } from './attempts.ts';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';
import { newMember as join, limitPerforming, setStage } from './harness.ts';

let stage: ChatStage;
beforeAll(async () => {
  const moderator = ['bans.write', 'mutes.write', 'messages.purge', 'tickets.write'];
  stage = await setChatStage({ Moderator: moderator });
  await limitPerforming(stage);
  await stage.test.database.pool.query('UPDATE guilds SET notifies_targets = false');
});
afterAll(() => endChatStage(stage));
beforeEach(() => {
  stage.sandbox.control.clearFaults();
});

/** What Discord does to a request, and how the answer to the moderator begins then, for a read and for a write. */
const FAULTS = {
  'limits for 65 s': { fault: { rate_limit: { retry_after: 65 } }, asked: 'Not done.', written: 'Not done.' },
  'answers 500': { fault: { status: 500 }, asked: 'Not done.', written: 'Not done.' },
  'cuts the connection': { fault: { socket: 'reset' }, asked: 'Not done.', written: 'Not certain.' },
  'never answers': { fault: { socket: 'hang' }, asked: 'Not done.', written: 'Not certain.' },
} as const satisfies Record<string, { fault: Partial<FaultRequest>; asked: string; written: string }>;
type FaultName = keyof typeof FAULTS;
/** Those that a request of each command meets. A limit is remembered, so it comes last and once. */
const OF_EACH = Object.keys(FAULTS).filter((name) => name !== 'limits for 65 s') as FaultName[];
const QUICK = OF_EACH.filter((name) => name !== 'never answers');

/** A request that a command makes, on a path that no other command of this file uses, and what the moderator does. */
interface Hit {
  readonly what: string;
  /** Its action is performed in the slow lane. */
  readonly isSlow?: true;
  readonly method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';
  readonly path: string;
  /** Does everything before the request. Returns the interaction to answer. */
  readonly act: () => Promise<() => Promise<string>>;
}

const moderator = 'moderator';

const newMember = (name: string) => join(stage.sandbox, name);

function newChannel(name: string, messages: number): string {
  const { channel } = stage.sandbox.control.channels({ action: 'create', name });
  const id = channel?.id ?? '';
  if (messages > 0) {
    stage.sandbox.control.messages({ user: 'owner', channel: id, content: 'coins', count: messages });
  }
  return id;
}

const command = (words: string, options: Record<string, string | number> = {}, channel = 'general') => {
  return async () => () => stage.says(moderator, words, options, channel);
};

/** Asks for a purge. Returns the press of its button. */
function purge(channel: string): Hit['act'] {
  return async () => {
    const asked = await stage.does({
      type: 'command',
      user: moderator,
      command: 'purge',
      options: { count: 5 },
      channel,
    });
    const [row] = (asked.message?.components ?? []) as { components?: { custom_id?: string }[] }[];
    const custom_id = row?.components?.[0]?.custom_id ?? '';
    const message_id = asked.message?.id ?? '';
    return async () => {
      const pressed = await stage.does({ type: 'button', user: moderator, message_id, custom_id });
      return pressed.message?.content ?? '';
    };
  };
}

/** Opens a ticket. @returns its channel */
async function newTicket(subject: string): Promise<string> {
  await stage.says('helper', 'ticket open', { subject });
  const { channel_id } = await stage.row<{ channel_id: string }>(
    'SELECT channel_id FROM tickets WHERE subject = $1',
    [subject],
  );
  await stage.sandbox.until((state) =>
    state.guilds.some(({ channels }) =>
      channels.some(({ id, message_count }) => id === channel_id && message_count > 0),
    ),
  );
  return channel_id;
}

async function allHits(): Promise<Hit[]> {
  const { control } = stage.sandbox;
  const guild = `/guilds/${stage.guildId}`;
  const [looked, banned, freed, unbanned, muted, unmuted] = ['Ada', 'Bob', 'Cid', 'Dot', 'Eve', 'Fay'].map(
    newMember,
  );
  for (const user of [freed ?? '', unbanned ?? '']) control.bans({ user, by: 'owner' });
  control.members({ action: 'timeout', user: unmuted ?? '', minutes: 600, by: 'owner' });
  const [counted, seen, bulk, single] = ['counted', 'seen', 'bulk', 'single'].map((name) =>
    newChannel(name, name === 'single' ? 1 : 5),
  ) as [string, string, string, string];
  const [panelSeen, panel] = ['panel-seen', 'panel'].map((name) => newChannel(name, 0)) as [string, string];
  const [read, closed] = [await newTicket('to be read'), await newTicket('to be closed')];
  const sanction = (user = '') => ({ user, reason: 'Spam' });
  return [
    {
      what: 'the look at who is to be banned',
      method: 'GET',
      path: `${guild}/members/${looked}`,
      act: command('ban', sanction(looked)),
    },
    { what: 'a ban', method: 'PUT', path: `${guild}/bans/${banned}`, act: command('ban', sanction(banned)) },
    {
      what: 'the look at a ban',
      method: 'GET',
      path: `${guild}/bans/${freed}`,
      act: command('unban', { user: freed ?? '' }),
    },
    {
      what: 'the lifting of a ban',
      method: 'DELETE',
      path: `${guild}/bans/${unbanned}`,
      act: command('unban', { user: unbanned ?? '' }),
    },
    {
      what: 'a timeout',
      method: 'PATCH',
      path: `${guild}/members/${muted}`,
      act: command('mute', { ...sanction(muted), duration: '1h' }),
    },
    {
      what: 'the end of a timeout',
      method: 'PATCH',
      path: `${guild}/members/${unmuted}`,
      act: command('unmute', { user: unmuted ?? '' }),
    },
    {
      what: 'the count of a purge',
      method: 'GET',
      path: `/channels/${counted}/messages`,
      act: command('purge', { count: 5 }, counted),
    },
    {
      what: 'the look at the channel of a purge',
      isSlow: true,
      method: 'GET',
      path: `/channels/${seen}`,
      act: purge(seen),
    },
    {
      what: 'a bulk delete',
      isSlow: true,
      method: 'POST',
      path: `/channels/${bulk}/messages/bulk-delete`,
      act: purge(bulk),
    },
    {
      what: 'a deletion',
      isSlow: true,
      method: 'DELETE',
      path: `/channels/${single}/messages/*`,
      act: purge(single),
    },
    {
      what: 'the channel of a ticket',
      method: 'POST',
      path: `${guild}/channels`,
      act: command('ticket open', { subject: 'Lost' }),
    },
    {
      what: 'the transcript of a ticket',
      isSlow: true,
      method: 'GET',
      path: `/channels/${read}/messages`,
      act: command('ticket close', {}, read),
    },
    {
      what: 'the end of a ticket’s channel',
      isSlow: true,
      method: 'DELETE',
      path: `/channels/${closed}`,
      act: async () => {
        // Another closing is refused while it is looked for how the one before ended.
        await stage.test.database.pool.query(
          "UPDATE actions SET looked_at = 'infinity' WHERE operation = 'tickets.close' AND state = 'unknown'",
        );
        return command('ticket close', {}, closed)();
      },
    },
    {
      what: 'the look at the channel of a panel',
      method: 'GET',
      path: `/channels/${panelSeen}`,
      act: command('ticket panel', {}, panelSeen),
    },
    {
      what: 'a panel',
      method: 'POST',
      path: `/channels/${panel}/messages`,
      act: command('ticket panel', {}, panel),
    },
  ];
}

/** How often a request was made to fail. */
const failed = new Map<Hit, number>();

/** Makes one request fail. @returns how the answer began */
async function answerTo(hit: Hit, how: FaultName): Promise<string> {
  const { control, requests } = stage.sandbox;
  let faultId: number | undefined;
  const told = await untilShown(async () => {
    const act = await hit.act();
    if (!control.listFaults().some(({ id }) => id === faultId)) {
      faultId = control.addFault({ route: hit.path, method: hit.method, ...FAULTS[how].fault }).id;
    }
    const told = await soonEnough(act());
    // A request for which there was no time left did not meet it.
    const hasFailed = requests.some(({ fault }) => fault === faultId);
    if (hasFailed) failed.set(hit, (failed.get(hit) ?? 0) + 1);
    return hasFailed ? told : null;
  });
  return /^Not \w+\./.exec(told)?.[0] ?? told;
}

const expectedOf = ({ method }: Hit, how: FaultName) => FAULTS[how][method === 'GET' ? 'asked' : 'written'];

/** A black hole holds a place of the guild until its time is up. A guild has two places in each lane. */
function inWaves(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  // The library sends requests of one kind about one guild one after the other, so neighbours are in different waves.
  const pairs = (lane: readonly Hit[]) => {
    const half = Math.ceil(lane.length / 2);
    return lane.slice(0, half).map((hit, place) => [hit, ...lane.slice(half + place, half + place + 1)]);
  };
  const quick = pairs(hits.filter(({ isSlow }) => isSlow === undefined));
  const slow = pairs(hits.filter(({ isSlow }) => isSlow === true));
  return quick.map((pair, wave) => [...pair, ...(slow[wave] ?? [])]);
}

/** Writes come first: their reads must not wait behind a request that only reads. */
async function blackHoles(wave: readonly Hit[]): Promise<string[]> {
  const answers = new Map<Hit, Promise<string>>();
  const begin = async (hits: readonly Hit[]) => {
    const first = stage.sandbox.requests.at(-1)?.id ?? 0;
    for (const hit of hits) answers.set(hit, answerTo(hit, 'never answers'));
    await stage.sandbox.until(() => hits.every((hit) => sentSince(first, hit) > 0));
  };
  await begin(wave.filter(({ method }) => method !== 'GET'));
  await begin(wave.filter(({ method }) => method === 'GET'));
  return Promise.all(wave.map((hit) => answers.get(hit) ?? ''));
}

const inSilence = (hit: Hit) => expectedOf(hit, 'never answers');

/** The data at Discord that these commands could have changed. */
function effects() {
  const guild = stage.sandbox.getState(1000).guilds.find(({ id }) => id === stage.guildId);
  return {
    bans: guild?.bans,
    timeouts: guild?.members.map((member) => member.communication_disabled_until),
    channels: guild?.channels.map(({ id, messages }) => [id, messages.map((message) => message.id)]),
  };
}

/** Resolves once anything later than the answers has arrived: delayed requests are cut off, and later work is done. */
async function afterwards(): Promise<void> {
  stage.sandbox.control.clearFaults();
  const { pool } = stage.test.database;
  await pool.query("SELECT graphile_worker.add_job('recover', '{}', job_key => 'recover_test')");
  await stage.row(
    "SELECT count(*) AS left FROM graphile_worker.jobs WHERE key = 'recover_test'",
    [],
    ({ left }: { left: string }) => left === '0',
  );
}

const matches = (hit: Hit, method: string, path: string) =>
  method === hit.method && new RegExp(`^${hit.path.replace('*', '[^/]+')}$`).test(path);

/** How often the failing request was sent since. */
function sentSince(first: number, hit: Hit): number {
  return stage.sandbox.requests.filter(({ id, method, path }) => id > first && matches(hit, method, path))
    .length;
}

test('whatever Discord does to a request of a command, the moderator is told in time what came of it, and nothing comes later', async () => {
  verifies('G14', 'H24');
  const hits = await allHits();
  const before = effects();
  const first = stage.sandbox.requests.at(-1)?.id ?? 0;
  const quick: [string, object][] = [];
  for (const wave of inWaves(hits)) {
    const told = wave.map(async (hit): Promise<[string, object]> => {
      const answers: [FaultName, string][] = [];
      for (const how of QUICK) answers.push([how, await answerTo(hit, how)]);
      return [hit.what, Object.fromEntries(answers)];
    });
    quick.push(...(await Promise.all(told)));
  }
  expect(Object.fromEntries(quick)).toEqual(
    Object.fromEntries(
      hits.map((hit) => [hit.what, Object.fromEntries(QUICK.map((how) => [how, expectedOf(hit, how)]))]),
    ),
  );
  for (const wave of inWaves(hits)) expect(await blackHoles(wave)).toEqual(wave.map(inSilence));
  await afterwards();
  expect(effects()).toEqual(before);
  // Writes were sent once for each command, and never again.
  for (const hit of hits.filter(({ method }) => method !== 'GET')) {
    expect([hit.what, sentSince(first, hit)]).toEqual([hit.what, failed.get(hit)]);
    expect(failed.get(hit)).toBeGreaterThanOrEqual(OF_EACH.length);
  }
  const ban = hits.find(({ what }) => what === 'a ban');
  expect(ban && (await answerTo(ban, 'limits for 65 s'))).toBe('Not done.');
  expect(effects()).toEqual(before);
});

/** A moderator mutes a user while a route of interactions fails. */
function muteThrough(
  route: string,
  fault: Partial<FaultRequest>,
  times = 1,
  more: { wait_ms?: number } = {},
) {
  const user = newMember('Noisy');
  stage.sandbox.control.addFault({ route, ...fault, times });
  const options = { user, reason: 'Noise', duration: '1h' };
  const answer = stage.sandbox.control.interact({
    type: 'command',
    user: moderator,
    command: 'mute',
    options,
    ...more,
  });
  return { user, answer };
}

test('an answer that Discord loses or limits is given again; where no first sign gets through, nothing is done', async () => {
  const callback = '/interactions/*/*/callback';
  const edit = '/webhooks/*/*/messages/*';
  const limited = muteThrough(callback, FAULTS['limits for 65 s'].fault, 1, { wait_ms: 0 });
  await stage.sandbox.until(() => stage.sandbox.control.listFaults().length === 0);
  const failing = muteThrough(callback, FAULTS['answers 500'].fault, 2, { wait_ms: 0 });
  const looked = ({ path, status }: { path: string; status: number | null }) =>
    decodeURIComponent(path).endsWith('/messages/@original') && status === 404;
  await stage.sandbox.until(() => stage.sandbox.requests.some(looked));
  const lost = [
    [callback, FAULTS['answers 500'].fault],
    [callback, FAULTS['cuts the connection'].fault],
    [callback, FAULTS['never answers'].fault],
    // Discord accepted it, and only its answer was lost.
    [callback, { when: 'after', status: 500 }],
    // Discord accepts it, and says so late, both times.
    [callback, { when: 'after', delay_ms: 1_300 }, 2],
    ...Object.values(FAULTS).map(({ fault }) => [edit, fault] as const),
    [edit, { status: 500 }, 2],
  ] as const;
  const muted: string[] = [];
  for (const [route, fault, times] of lost) {
    const { user, answered } = await untilShown(async () => {
      const { user, answer } = muteThrough(route, fault, times);
      const answered = await soonEnough(answer);
      if ((await answer).state === 'answered') muted.push(user);
      if (answered !== null) return { user, answered };
      stage.sandbox.control.clearFaults();
      return null;
    });
    expect(stage.sandbox.control.listFaults()).toEqual([]);
    expect({ state: answered.state, content: answered.message?.content }).toEqual({
      state: 'answered',
      content: expect.stringMatching(new RegExp(`^Done\\..*${user}`)),
    });
  }
  await afterwards();
  // Discord shows the moderator that the bot did not answer.
  const unanswered = (await Promise.all([limited.answer, failing.answer])).map(({ id }) => id);
  const { interactions } = stage.sandbox.getState();
  expect(unanswered.map((each) => interactions.find(({ id }) => id === each)?.responses)).toEqual([[], []]);
  const { rows } = await stage.test.database.pool.query(
    "SELECT target_id FROM actions WHERE operation = 'mutes.add' AND target_id = ANY ($1) ORDER BY target_id",
    [[limited.user, failing.user, ...muted]],
  );
  expect(rows.map(({ target_id }) => target_id)).toEqual(muted.toSorted());
});

test.each([
  ['says so late, both times', { delay_ms: 3_000 }],
  ['never says so', { status: 500 }],
])('a command whose first sign Discord takes is answered where it %s', async (_what, how) => {
  const { control } = stage.sandbox;
  control.addFault({ route: '/interactions/*/*/callback', when: 'after', times: 2, ...how });
  expect(await stage.says(moderator, 'whoami')).toContain('bans.write');
  expect(control.listFaults()).toEqual([]);
});

const EDIT = { method: 'PATCH', route: '/webhooks/*/*/messages/*', status: 500 } as const;
const FOLLOW_UP = { method: 'POST', route: '/webhooks/*/*', status: 500 } as const;

test.each([
  ['comes after Discord has lost it three times', [{ ...EDIT, times: 2 }, FOLLOW_UP], ['edit']],
  ['is not sent again where Discord has shown it', [{ ...EDIT, when: 'after', times: 2 }], ['edit', 'edit']],
  [
    'is not sent again where Discord has shown the message that took its place',
    [
      { ...EDIT, times: 2 },
      { ...FOLLOW_UP, when: 'after' },
    ],
    ['followup'],
  ],
] as const)('an answer %s', async (_how, faults, shown) => {
  const { control } = stage.sandbox;
  for (const fault of faults) control.addFault(fault);
  const first = stage.sandbox.requests.at(-1)?.id ?? 0;
  const { id } = await stage.does({
    type: 'command',
    user: moderator,
    command: 'whoami',
    channel: 'general',
  });
  const looks = () =>
    stage.sandbox.requests.filter(
      ({ id, method, path, status }) =>
        id > first && method === 'GET' && status === 200 && /@original$/.test(decodeURIComponent(path)),
    ).length;
  const laterLooks = shown[0] === 'followup' ? 2 : 1;
  await stage.sandbox.until(() => looks() >= laterLooks);
  // An answer that follows from that look is sent before what comes of another command.
  expect(await stage.says(moderator, 'whoami')).toContain('bans.write');
  const answered = stage.sandbox.getState().interactions.find((each) => each.id === id);
  expect(answered?.message?.content).toContain('bans.write');
  expect(answered?.responses.map(({ kind }) => kind).filter((kind) => !kind.startsWith('deferred'))).toEqual(
    shown,
  );
  expect(control.listFaults()).toEqual([]);
});

test.each([
  ['its question', async () => {}],
  [
    'what a second press was told',
    async (press: () => Promise<string>) => expect(await press()).toMatch(/^This button has lapsed/),
  ],
])(
  'the answer to a button comes in the place of %s after Discord has lost it three times',
  async (what, meanwhile) => {
    const { control } = stage.sandbox;
    const press = await purge(newChannel(`purged-${what.length}`, 3))();
    control.addFault({ ...EDIT, times: 2 });
    const lost = control.addFault({ ...FOLLOW_UP, held: true });
    const pressed = press();
    await stage.sandbox.until(() => stage.sandbox.requests.some(({ fault }) => fault === lost.id));
    await meanwhile(press);
    control.clearFaults();
    expect(await pressed).toMatch(/^Done\. Deleted 3 messages/);
  },
);

test('an answer that Discord does not take is a line that names command, guild and what became of it', async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const { sandbox, row, close, guildId } = await setStage({}, { LOG_LEVEL: 'error' });
  try {
    await sandbox.until((state) => state.commands.length > 0, 60_000, 'the commands');
    const body = { message: 'Unknown Webhook', code: 10_015 };
    const fault = { method: 'PATCH', status: 404, times: null, body } as const;
    sandbox.control.addFault({ route: '/webhooks/*/*/messages/*', ...fault });
    const user = join(sandbox);
    const options = { user, reason: 'Spam' };
    void sandbox.control.interact({
      type: 'command',
      user: 'owner',
      command: 'ban',
      options,
      channel: 'general',
    });
    await row('SELECT FROM cases WHERE user_id = $1', [user]);
    await vi.waitFor(() => expect(lines.join('')).toContain('a command was not answered'), 180_000);
  } finally {
    await close();
    write.mockRestore();
  }
  const line = JSON.parse(lines.find((each) => each.includes('was not answered')) ?? '{}');
  expect(line).toMatchObject({
    guild_id: guildId,
    command: 'ban',
    operation: 'bans.add',
    outcome: 'answered with a result',
    err: { message: expect.stringContaining('Unknown Webhook') },
  });
});

test('a suggestion that comes too late is no command that was not answered', async () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  const { sandbox, close } = await setStage({}, { LOG_LEVEL: 'debug' });
  try {
    await sandbox.until((state) => state.commands.length > 0, 60_000, 'the commands');
    const body = { message: 'Unknown interaction', code: 10_062 };
    sandbox.control.addFault({ route: '/interactions/*/*/callback', method: 'POST', status: 404, body });
    const typed = { command: 'unban', focused: 'user', options: { user: 'x' } };
    void sandbox.control.interact({ type: 'autocomplete', user: 'owner', channel: 'general', ...typed });
    await vi.waitFor(() => expect(lines.join('')).toMatch(/came too late|was not answered/), 180_000);
  } finally {
    await close();
    write.mockRestore();
  }
  expect(lines.filter((line) => line.includes('was not answered'))).toEqual([]);
});
