import { type Account, findAccount } from '#src/account.ts';
import { askMe, type Me } from '#src/me.ts';
import { cleanText } from '#src/untrusted.ts';
import type { CommandContext } from './context.ts';

/** Prints which token this is and what it may do now. @returns the exit code */
export async function status({ env, store, terminal }: CommandContext): Promise<number> {
  const found = await findAccount(env, store);
  if (!found.ok) {
    terminal.say(found.problem);
    return 1;
  }
  const { account } = found;
  const read = await askMe(account, { maxAttempts: 1 });
  if (!read.ok) {
    const { code, message } = read.envelope.error;
    terminal.say(`${code}: ${cleanText(message)}`);
    return 1;
  }
  for (const [name, value] of rowsOf(account, read.me))
    terminal.print(`${name.padEnd(14)}${cleanText(value)}`);
  return 0;
}

function rowsOf({ url, source }: Account, me: Me): readonly (readonly [string, string])[] {
  const { token, issuer, guild, window, budgets } = me;
  // A call is charged to both, so it needs both.
  const left = (['read', 'reversible_write', 'destructive_write'] as const).map((tier) => {
    const { remaining, capacity } = budgets.token[tier];
    return `${tier.replace('_', ' ')} ${Math.min(remaining, budgets.user[tier].remaining)} of ${capacity}`;
  });
  return [
    ['Instance', url],
    [
      'Token',
      `${token.name} (${token.id}), from ${source === 'store' ? 'the stored login' : 'BAILIFF_TOKEN'}`,
    ],
    ['Issued by', issuer.username === null ? issuer.user_id : `${issuer.username} (${issuer.user_id})`],
    ['Guild', `${guild.name} (${guild.id})${guild.state === 'trusted' ? '' : `, ${guild.state}`}`],
    ['Capabilities', me.effective_capabilities.join(', ') || 'none now'],
    ['Expires', token.expires_at ?? 'never'],
    ['Window', window.open ? `open until ${window.window.expires_at}` : 'closed'],
    ['Budgets', left.join(', ')],
  ];
}
