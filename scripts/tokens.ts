// `npm run tokens -- list | revoke`: the operator lists or revokes tokens.
import {
  type OperatorToken,
  revokeAsOperator,
  tokensForOperator,
} from '@bailiff/engine/tokens/operator-tokens';
import { EX_USAGE, fail, onDatabase } from './operator.ts';

const USAGE = `Usage: npm run tokens -- list [guild id]
       npm run tokens -- revoke <token id>
       npm run tokens -- revoke --guild <guild id> all`;

type Command =
  | { readonly verb: 'list'; readonly guildId: string | null }
  | { readonly verb: 'revoke'; readonly which: { tokenId: string } | { guildId: string } };

function commandOf([verb, ...rest]: readonly string[]): Command | null {
  const [first = '', second = '', third] = rest;
  if (verb === 'list' && rest.length === 0) return { verb, guildId: null };
  if (verb === 'list' && rest.length === 1 && isGuildId(first)) return { verb, guildId: first };
  if (verb !== 'revoke') return null;
  if (rest.length === 1 && /^tok_[0-9a-f]{32}$/.test(first)) return { verb, which: { tokenId: first } };
  const isWholeGuild = rest.length === 3 && first === '--guild' && isGuildId(second) && third === 'all';
  return isWholeGuild ? { verb, which: { guildId: second } } : null;
}

const isGuildId = (text: string) => /^\d{17,20}$/.test(text);

async function main(): Promise<void> {
  const command = commandOf(process.argv.slice(2));
  if (command === null) return fail(USAGE, EX_USAGE);
  if (command.verb === 'list') {
    return onDatabase('bailiff-tokens', 'The tokens could not be listed', async (db) => {
      for await (const token of tokensForOperator(db, command.guildId)) say(lineOf(token));
    });
  }
  await onDatabase('bailiff-tokens', 'Nothing was revoked', async (db) => {
    const { which } = command;
    const revoked = await revokeAsOperator(db, which);
    if (revoked !== null) return say(`Tokens revoked, for good: ${revoked.join(' ') || 'none was live'}.`);
    fail(
      'tokenId' in which
        ? `There is no token ${which.tokenId}. npm run tokens -- list shows those there are.`
        : `Bailiff does not know the guild ${which.guildId}: is the bot in it?`,
      1,
    );
  });
}

/** Names are printed as JSON, so that their content can only be text. */
function lineOf(token: OperatorToken): string {
  const day = (date: Date | null) => date?.toISOString().slice(0, 10) ?? 'never';
  return [
    token.id,
    token.state.padEnd('expired'.length),
    token.kind.padEnd('rest'.length),
    `guild ${token.guildId} ${JSON.stringify(token.guildName)}`,
    `issuer ${token.issuerId}`,
    JSON.stringify(token.name),
    `expires ${day(token.expiresAt)}`,
    `used ${day(token.lastUsedAt)}`,
  ].join('  ');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

await main();
