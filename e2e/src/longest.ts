// The longest words that Discord and we allow, without a space to break them at: for tests of what fits into a page.
import { Owner, send } from '@bailiff/sandbox/visitor';
import type { RunFile } from '@bailiff/supervisor/run-file';
import { apiOf, refusalOf } from './api.ts';
import { interact } from './interact.ts';

/** @returns a person on record with the longest name, in a guild with the longest name, whom a token asks to ban */
export async function tellLongest(run: RunFile): Promise<string> {
  const control = async (endpoint: string, json: object): Promise<unknown> => {
    const { status, body, text } = await send(`${run.sandbox}/sandbox/${endpoint}`, { method: 'POST', json });
    if (status !== 200) throw new Error(`${endpoint} answered ${status}: ${text}`);
    return body;
  };
  const joined = await control('members', { action: 'join', name: 'W'.repeat(32) });
  const { id } = (joined as { member: { user: { id: string } } }).member.user;
  const reason = 'Wort'.repeat(128);
  const struck = { user: id, severity: 'minor', reason };
  await interact(run, { type: 'command', user: 'owner', command: 'strike add', options: struck });
  const options = { subject: 'Wort'.repeat(20) };
  await interact(run, { type: 'command', user: id, command: 'ticket open', options });
  const owner = await Owner.signIn(run.web, run.people.owner ?? '');
  const { status, body } = await owner.mint(run.guild_id, 'T'.repeat(40));
  if (status !== 201) throw new Error(`No token was minted: ${JSON.stringify(body)}`);
  const { secret } = body as { secret: string };
  const _confirmation = `BAN USER ${id} IN GUILD ${run.guild_id} PERMANENT`;
  await refusalOf(apiOf(run, secret).call('bans.add', { user_id: id, reason, _confirmation }));
  await control('guilds', { action: 'update', name: 'G'.repeat(100) });
  return id;
}
