import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';

let stage: ChatStage;
chatGuildForEachTest(
  {
    Moderator: ['strikes.read', 'strikes.write', 'mutes.read', 'mutes.write', 'bans.write'],
    Helper: ['mutes.read'],
    // In the mirror, so that their rank is known, and without a capability for anything tried here.
    Admin: ['audit.read'],
  },
  (next) => {
    stage = next;
  },
);

const guild = () => stage.sandbox.getState().guilds[0];
const strike = (user: string, target: string, reason = 'Griefing') =>
  stage.says(user, 'strike add', { user: target, reason, severity: 'major' });

async function cases() {
  const { rows } = await stage.test.database.pool.query(
    'SELECT kind, user_id, reason, severity, issued_by, ended_by FROM cases ORDER BY case_number',
  );
  return rows;
}

test('/strike add opens a case, as an action from chat with its audit rows', async () => {
  const answer = await strike('moderator', 'troll', 'Griefing @everyone <@1>');
  expect(answer).toMatch(
    /^Done\. Add a major strike to xx\\_grief\\_xx \(\d+\) in Harbourlight .*\(case #1\)$/,
  );
  expect(await cases()).toMatchObject([
    { kind: 'strike', user_id: stage.people.troll, severity: 'major', issued_by: stage.people.moderator },
  ]);
  const { rows } = await stage.test.database.pool.query(
    "SELECT outcome FROM audit WHERE operation = 'strikes.add' AND actor_source = 'chat' ORDER BY id",
  );
  expect(rows).toEqual([{ outcome: 'requested' }, { outcome: 'performed' }]);
});

test('without the capability no strike is added, and the refusal says what is missing and who grants it', async () => {
  verifies('bot.chat.same-capability');
  const answer = await strike('admin', 'troll');
  expect(answer).toMatch(/^Not done\..*strikes\.write/);
  expect(answer).toContain(`<@${stage.people.owner}>`);
  expect(await cases()).toEqual([]);
});

test('a strike of somebody above is refused', async () => {
  expect(await strike('moderator', 'admin')).toMatch(/^Not done\. The target's highest role is not below/);
  expect(await strike('moderator', 'owner')).toMatch(/^Not done\. The guild owner cannot be the target/);
  expect(await cases()).toEqual([]);
});

test('/strike remove takes the number of a case, and tells where it is no strike', async () => {
  await strike('moderator', 'troll');
  await stage.says('moderator', 'mute', { user: 'troll', reason: 'Shouting', duration: '30m' });
  expect(await stage.says('moderator', 'strike remove', { case: 2 })).toBe(
    'Not done. case: #2 is a mute, not a strike.',
  );
  expect(await stage.says('moderator', 'strike remove', { case: 9 })).toMatch(
    /^Not done\. This guild has no case 9/,
  );
  expect(await stage.says('moderator', 'strike remove', { case: 1, reason: 'Wrong person' })).toMatch(
    /^Done\. Remove #1 .*\(case #1\)$/,
  );
  expect((await cases())[0]).toMatchObject({ ended_by: stage.people.moderator });
  expect(await stage.says('moderator', 'strike remove', { case: 1 })).toMatch(/^Not done\./);
});

test('/strike list shows the strikes that fit, with text that cannot format the answer', async () => {
  expect(await stage.says('moderator', 'strike list')).toBe('There are no such strikes.');
  await strike('moderator', 'troll', '**Loud** `#99`');
  await strike('moderator', 'member', 'Once');
  const all = await stage.says('moderator', 'strike list');
  expect(all).toMatch(/#2` major strike · <@\d+> "Once".*\n`#1` major strike/);
  expect(all).toContain('"\\*\\*Loud\\*\\* \\`#99\\`"');
  const some = await stage.says('moderator', 'strike list', { user: 'member' });
  expect(some).toContain('#2`');
  expect(some).not.toContain('#1`');
  await stage.row("SELECT FROM audit WHERE operation = 'strikes.list' AND actor_source = 'chat' AND is_read");
  expect(await stage.says('helper', 'strike list')).toMatch(/^Not done\..*strikes\.read/);
});

test('/strike list of many strikes is one answer that fits, and says that there are more', async () => {
  for (let number = 1; number <= 11; number += 1) await strike('moderator', 'troll', '@'.repeat(500));
  const answer = await stage.says('moderator', 'strike list');
  expect(answer).toMatch(/^\*\*Strikes\*\*, newest first\n`#11`/);
  expect(answer).not.toContain('`#1`');
  expect(answer).toContain('the dashboard has all of them');
});

test('/case tells a case, and only to those who may read its kind', async () => {
  await strike('moderator', 'troll');
  await stage.says('moderator', 'mute', { user: 'troll', reason: 'Shouting', duration: '30m' });
  const told = await stage.says('moderator', 'case show', { number: 1 });
  expect(told).toMatch(
    /^\*\*Case #1: major strike\*\* of <@\d+> \(\d+\)\nBy <@\d+>, <t:\d+:f>\nReason: "Griefing"/,
  );
  expect(await stage.says('helper', 'case show', { number: 2 })).toContain('Case #2: mute');
  expect(await stage.says('helper', 'case show', { number: 1 })).toMatch(/^Not done\..*strikes\.read/);
  expect(await stage.says('admin', 'case show', { number: 1 })).toMatch(/^Not done\./);
  expect(await stage.says('moderator', 'case show', { number: 7 })).toMatch(/^Not done\..*no case 7/);
});

test('/history and the menu show the cases of somebody, of the kinds that the moderator may read', async () => {
  await strike('moderator', 'troll');
  await stage.says('moderator', 'mute', { user: 'troll', reason: 'Shouting', duration: '30m' });
  await strike('moderator', 'member');
  const history = await stage.says('moderator', 'history', { user: 'troll' });
  expect(history).toMatch(/^\*\*2 cases\*\* of <@\d+>, newest first\n`#2` mute .*\n`#1` major strike/);
  const { message } = await stage.picks('moderator', 'History', 'troll');
  expect(message?.content).toBe(history);
  expect(await stage.says('helper', 'history', { user: 'troll' })).toMatch(/^\*\*1 case\*\*.*\n`#2` mute/);
  expect(await stage.says('helper', 'history', { user: 'member' })).toMatch(/^There is no case/);
  expect(await stage.says('admin', 'history', { user: 'troll' })).toMatch(/^Not done\./);
});

/** The last part of each line of a list of cases, by the number of the case. */
const standingsIn = (list: string) =>
  Object.fromEntries(
    [...list.matchAll(/^`#(\d+)` (.*?) · .*> · (.*)$/gm)].map(([, number, , standing]) => [number, standing]),
  );

/** Ten cases, which do not fit into one answer. */
const addLongCases = () =>
  stage.test.database.pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, severity)
     SELECT new_id('case'), $1, n, 'strike', $2, repeat('x', 90), $3, 'minor' FROM generate_series(1, 10) AS n`,
    [stage.guildId, stage.people.troll, stage.people.moderator],
  );

/** The first button beneath a page of cases. */
const pageButtonIn = (message: { readonly components?: unknown } | null | undefined) =>
  /"custom_id":"(page:cases\.list:\d+:\d*)"/.exec(JSON.stringify(message?.components))?.[1] ?? '';

test('/history of ten cases that do not fit into one answer has a button to those left out', async () => {
  await addLongCases();
  const at = { user: 'moderator', channel: 'general' };
  const shown = await stage.does({ type: 'command', ...at, command: 'history', options: { user: 'troll' } });
  const numbersIn = (content = '') => [...content.matchAll(/`#(\d+)`/g)].map(([, number]) => Number(number));
  const first = numbersIn(shown.message?.content);
  expect(first.length).toBeLessThan(10);
  const custom_id = pageButtonIn(shown.message);
  const message_id = shown.message?.id ?? '';
  const next = await stage.does({ type: 'button', ...at, message_id, custom_id });
  expect([...first, ...numbersIn(next.message?.content)]).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('a page of cases that Discord has lost takes the place of none that its reader has turned to since', async () => {
  await addLongCases();
  const { control, requests, until } = stage.sandbox;
  const at = { user: 'moderator', channel: 'general' };
  const shown = await stage.does({ type: 'command', ...at, command: 'history', options: { user: 'troll' } });
  const message_id = shown.message?.id ?? '';
  const turnTo = (custom_id: string) => stage.does({ type: 'button', ...at, message_id, custom_id });
  const older = pageButtonIn(shown.message);
  control.addFault({ method: 'PATCH', route: '/webhooks/*/*/messages/*', status: 500, times: 2 });
  const lost = control.addFault({ method: 'POST', route: '/webhooks/*/*', status: 500, held: true });
  const press = { type: 'button', ...at, message_id, custom_id: older } as const;
  const { id: lostPress } = await control.interact({ ...press, wait_ms: 0 });
  await until(() => requests.some(({ fault }) => fault === lost.id));
  const second = await turnTo(older);
  const first = await turnTo(pageButtonIn(second.message));
  expect(first.message?.content).toBe(shown.message?.content);
  // The bot looks before each time that it shows the lost page: first whether Discord has taken it.
  const looks = () =>
    requests.filter(({ method, path }) => method === 'GET' && /@original$/.test(decodeURIComponent(path)));
  const before = looks().length;
  control.clearFaults();
  await until(() =>
    looks()
      .slice(before)
      .some(({ status }) => status === 200),
  );
  // What follows from that look is sent before what comes of another command.
  await stage.says('moderator', 'whoami');
  const { interactions } = stage.sandbox.getState();
  const responses = interactions.find(({ id }) => id === lostPress)?.responses;
  expect(responses?.map(({ kind }) => kind)).toEqual(['deferred_update']);
});

test('each list of cases says of each where it stands, in the words of the dashboard and the language of the reader', async () => {
  verifies('history.standing');
  await stage.test.database.pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, ended_at, expires_at, action_id, end_action_id,
       import_id)
     SELECT new_id(prefix), $1, number, kind::"CaseKind", $2, $3, now() + ended::interval, now() + expires::interval,
       action, end_action, import
     FROM (VALUES
       (1, 'wrn', 'warning', '-1 day', NULL, NULL, NULL, NULL),
       (2, 'mut', 'mute', '-1 day', '1 hour', 'act_1', 'act_2', NULL),
       (3, 'mut', 'mute', NULL, '1 hour', 'act_2', NULL, NULL),
       (4, 'ban', 'ban', '-1 day', '1 hour', 'act_3', 'act_4', NULL),
       (5, 'ban', 'ban', '-1 day', '-1 day', NULL, NULL, NULL),
       (6, 'mut', 'mute', NULL, '-1 day', NULL, NULL, NULL),
       (7, 'kck', 'kick', NULL, NULL, NULL, NULL, NULL),
       (8, 'str', 'strike', NULL, NULL, NULL, NULL, 'imp_1')
     ) AS given (number, prefix, kind, ended, expires, action, end_action, import)`,
    [stage.guildId, stage.people.troll, stage.people.owner],
  );
  const history = await stage.says('owner', 'history', { user: 'troll' });
  const ends = expect.stringMatching(/^In force, ends <t:\d+:R>$/);
  const standings = {
    1: 'Removed',
    2: 'Replaced',
    3: ends,
    4: 'Lifted',
    5: 'Expired',
    6: 'Expired',
    7: 'On record',
    8: 'In force',
  };
  expect(standingsIn(history)).toEqual(standings);
  expect(history).toMatch(/^`#8` strike · imported · /m);
  expect(history.match(/imported/g)).toHaveLength(1);
  expect(standingsIn(await stage.says('owner', 'case search', { user: 'troll' }))).toEqual(standings);
  const german = await stage.does({
    type: 'command',
    user: 'owner',
    command: 'history',
    options: { user: 'troll' },
    locale: 'de',
  });
  expect(standingsIn(german.message?.content ?? '')).toMatchObject({
    1: 'Entfernt',
    2: 'Ersetzt',
    3: expect.stringMatching(/^In Kraft, endet <t:\d+:R>$/),
    7: 'Vermerkt',
  });
  const own = await stage.says('troll', 'my record');
  expect(own).toMatch(/^`#7` kick .* · on record$/m);
  expect(own).toMatch(/^`#5` ban .* · expired$/m);
});

test('a mute that another one replaced is called so everywhere, in each reader’s language', async () => {
  verifies('history.standing', 'cases.show', 'record.own');
  const mod = guild()?.channels.find(({ name }) => name === 'mod-log')?.id;
  const { pool } = stage.test.database;
  await pool.query("UPDATE guilds SET language = 'de', log_channel_id = $2 WHERE id = $1", [
    stage.guildId,
    mod,
  ]);
  for (const duration of ['30m', '1h'])
    await stage.says('moderator', 'mute', { user: 'troll', reason: 'Lärm', duration });
  const says = async (user: string, command: string, options = {}) => {
    const answer = await stage.does({ type: 'command', user, command, options, locale: 'de' });
    return answer.message?.content ?? '';
  };
  const shown = await says('moderator', 'case show', { number: 1 });
  expect(shown).toMatch(/^Ersetzt, <t:\d+:f>$/m);
  const own = await says('troll', 'my record');
  expect(own).toMatch(/^`#2` .* · in Kraft$/m);
  expect(own).toMatch(/^`#1` .* · ersetzt$/m);
  const posts = () =>
    stage.sandbox.getState(200).guilds[0]?.channels.find(({ id }) => id === mod)?.messages ?? [];
  const ofFirst = () =>
    posts()
      .flatMap(({ embeds }) => embeds[0] ?? [])
      .find(({ title }) => title?.startsWith('Fall #1:'));
  const by = expect.stringMatching(`^Von <@${stage.people.moderator}>, <t:\\d+:f>$`);
  await stage.sandbox.until(() => /Ersetzt|Aufgehoben/.test(JSON.stringify(ofFirst())));
  expect(ofFirst()?.fields).toContainEqual({ name: 'Ersetzt', value: by, inline: false });
  expect([shown, own, JSON.stringify(posts())].join()).not.toMatch(/Replaced by|Aufgehoben|zurückgenommen/);
});

test('/whoami tells what one may do, and by which role', async () => {
  const role = guild()?.roles.find(({ name }) => name === 'Moderator')?.id;
  expect(await stage.says('moderator', 'whoami')).toContain(
    `<@&${role}>: strikes.read, strikes.write, bans.write, mutes.read, mutes.write`,
  );
  expect(await stage.says('owner', 'whoami')).toContain('you may do everything here');
  const nothing =
    /^Here you may .*: open tickets, report people and messages, read your own record, and link .* None of your roles/;
  expect(await stage.says('member', 'whoami')).toMatch(nothing);
  stage.sandbox.control.members({ action: 'timeout', by: 'owner', user: 'moderator', minutes: 60 });
  await stage.row('SELECT FROM members WHERE user_id = $1 AND timed_out_until > now()', [
    stage.people.moderator,
  ]);
  expect(await stage.says('moderator', 'whoami')).toMatch(nothing);
});

/** The fields of a form, by their names. */
const fieldsOf = ({ modal }: Awaited<ReturnType<ChatStage['picks']>>) => {
  const { components } = modal as unknown as { components: { component: { custom_id: string } }[] };
  return Object.fromEntries(components.map(({ component }) => [component.custom_id, component]));
};

test('the menu entry Strike asks for severity and reason, and adds the strike', async () => {
  const opened = await stage.picks('moderator', 'Strike', 'troll');
  expect(opened.modal).toMatchObject({ title: 'Strike xx_grief_xx' });
  const foreign = stage.fills('moderator', opened, { severity: ['huge'], reason: 'Rude' });
  await expect(foreign).rejects.toThrow(/huge is not one of its options/);
  // By default, the form has the milder one chosen.
  const answer = await stage.fills('moderator', opened, { reason: 'Rude' });
  expect(answer).toMatch(/^Done\. Add a minor strike to <@\d+> .*: "Rude" \(case #1\)$/);
  expect(await cases()).toMatchObject([{ user_id: stage.people.troll, severity: 'minor', reason: 'Rude' }]);
});

test('the menu entries Mute and Ban do so for as long as the form says', async () => {
  const mute = await stage.picks('moderator', 'Mute', 'troll');
  expect(fieldsOf(mute)).toMatchObject({
    duration: { placeholder: '30m, 2d or 1w', required: true },
    reason: { max_length: 512 },
  });
  expect(await stage.fills('moderator', mute, { duration: 'soon', reason: 'Rude' })).toBe(
    'Not done. duration: "soon" is no length of time. Write it as 30m, 2d or 1w.',
  );
  expect(await stage.fills('moderator', mute, { duration: '30m', reason: 'Rude' })).toMatch(
    /^Done\. Mute <@\d+> .* for 30 minutes/,
  );
  const muted = guild()?.members.find(({ user_id }) => user_id === stage.people.troll);
  expect(muted?.communication_disabled_until).not.toBeNull();
  const ban = await stage.picks('moderator', 'Ban', 'troll');
  const duration = { placeholder: '30m, 2d or 1w; empty if permanent', required: false };
  expect(fieldsOf(ban)).toMatchObject({ duration });
  expect(await stage.fills('moderator', ban, { reason: 'Enough' })).toMatch(/^Done\. Ban .* permanently/);
  expect(guild()?.bans.map(({ user_id }) => user_id)).toEqual([stage.people.troll]);
});

test('a form is not opened for who may not do what it is for, nor obeyed for a target above', async () => {
  for (const entry of ['Strike', 'Mute', 'Ban']) {
    const { modal, message } = await stage.picks('admin', entry, 'troll');
    expect(modal).toBeNull();
    expect(message?.content).toMatch(/^Not done\. .*write/);
    const opened = await stage.picks('moderator', entry, 'admin');
    const answer = await stage.fills('moderator', opened, {
      reason: 'Coup',
      ...(entry === 'Strike' ? { severity: ['major'] } : { duration: '1d' }),
    });
    expect(answer).toMatch(/^Not done\. The target's highest role is not below/);
  }
  expect(await cases()).toEqual([]);
  expect(guild()?.bans).toEqual([]);
});

test('"Strike for this message" keeps what the message said, and where, with the reason', async () => {
  const written = stage.sandbox.control.messages({
    user: 'troll',
    channel: 'general',
    content: `Buy "coins"\n${'now '.repeat(200)}`,
  });
  const id = written.messages[0]?.id ?? '';
  const opened = await stage.picks('moderator', 'Strike for this message', id);
  // Together they fit into the reason of a case.
  expect(fieldsOf(opened)).toMatchObject({ reason: { max_length: 150 }, evidence: { max_length: 350 } });
  await stage.fills('moderator', opened, { severity: ['minor'], reason: 'Spam' });
  const [{ reason, user_id }] = await cases();
  expect(user_id).toBe(stage.people.troll);
  expect(reason).toMatch(/^Spam: “Buy "coins" now now .*…” https:\/\/discord\.com\/channels\//);
  expect(reason).toContain(id);
});
