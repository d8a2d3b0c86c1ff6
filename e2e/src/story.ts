// What happens in the sample guild, so that every page has something to show: through the surfaces people use.
import { Owner, readSandbox, spareMembers } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { apiOf, refusalOf } from './api.ts';
import { interact } from './interact.ts';

/** What the story leaves behind, for the addresses of pages. */
export interface Story {
  readonly caseNumber: string;
  readonly userId: string;
  readonly ticketNumber: string;
  /** Of the case that somebody appealed. */
  readonly appealNumber: string;
  readonly serverId: string;
  /** The audit entry of a ban that a token was allowed. */
  readonly auditId: string;
  /** The archive of a purge. */
  readonly archiveId: string;
}

/** @throws Error when a command is not carried out */
export async function tellStory(run: RunFile): Promise<Story> {
  const { guild } = await readSandbox(run.sandbox ?? '', run.guild_id);
  const [userId = '', griefer = '', scammer = '', evader = ''] = spareMembers(guild, run.people).slice(3);
  const say = (command: string, options: Record<string, string>, user = 'owner') =>
    interact(run, { type: 'command', user, command, options });

  await say('strike add', { user: userId, severity: 'minor', reason: 'Spam links in #general' });
  await say('strike add', { user: userId, severity: 'major', reason: 'Insulted a moderator' });
  await say('mute', { user: userId, duration: '2d', reason: 'Will not stop shouting' });
  await say('mute', { user: griefer, duration: '1d', reason: 'Griefing in the market square' });
  await say('unmute', { user: griefer, reason: 'Rebuilt the fountain' });
  await say('ticket open', { subject: 'My house was robbed while I was away' }, 'member');
  await say('ticket open', { subject: 'Is the map reset before the winter?' }, 'member');
  await say('rcon', { server: run.servers[0]?.id ?? '', command: 'list' });

  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const watch = await owner.mintWithWindow(run.guild_id, 'night-watch');
  await ban(run, watch.secret, scammer, 'Sold the same sheep twice');
  const minted = await owner.mint(run.guild_id, 'assistant');
  const { secret } = minted.body as { secret: string };
  // Without a window: it leaves a request that waits for approval.
  await refusalOf(ban(run, secret, evader, 'Evading a ban with a second account'));
  const serverId = run.servers[0]?.id ?? '';
  return {
    caseNumber: '1',
    userId,
    ticketNumber: '1',
    appealNumber: await appeal(run, owner, watch.secret, userId),
    serverId,
    auditId: await auditedBan(run, watch.secret),
    archiveId: await purge(run, watch.secret),
  };
}

/** The muted person says something against it. @returns the number of the case */
async function appeal(run: RunFile, owner: Owner, secret: string, userId: string): Promise<string> {
  const questions = ['Why should it be lifted?'];
  const settings = { kinds: ['mute'], introduction: 'Tell us what happened.', questions };
  await owner.change('PATCH', `/api/guilds/${run.guild_id}/appeal-settings`, {
    ...settings,
    ...{ cooldown_days: 14, votes_needed: 0, channel_id: null },
  });
  const person = await Owner.signIn(run.web, userId);
  for await (const mute of apiOf(run, secret).list('mutes.list', { active: true })) {
    if (mute.user_id !== userId) continue;
    const answers = ['My little brother had the microphone. He has his own account now.'];
    const { status } = await person.request('POST', `/api/appeals/${mute.id}`, { questions, answers });
    if (status !== 200) throw new Error(`The appeal was answered with ${status}.`);
    return String(mute.case_number);
  }
  throw new Error('The muted person has no mute.');
}

/** @returns the id of the archive */
async function purge(run: RunFile, secret: string): Promise<string> {
  const channelId = run.channels.general ?? '';
  const { purge: done } = await apiOf(run, secret).call('messages.purge', {
    channel_id: channelId,
    count: 3,
    reason: 'Off topic',
    _confirmation: `PURGE 3 MESSAGES IN CHANNEL ${channelId} IN GUILD ${run.guild_id}`,
  });
  return done.archive_id ?? '';
}

async function auditedBan(run: RunFile, secret: string): Promise<string> {
  for await (const { id, outcome } of apiOf(run, secret).list('audit.list', { action: 'bans.add' })) {
    if (outcome === 'performed') return id;
  }
  throw new Error('The audit log knows no ban.');
}

function ban(run: RunFile, secret: string, userId: string, reason: string) {
  return apiOf(run, secret).call('bans.add', {
    user_id: userId,
    reason,
    _confirmation: `BAN USER ${userId} IN GUILD ${run.guild_id} PERMANENT`,
  });
}
