// `npm run tokens -- list | revoke`: the operator lists or revokes tokens.
import {
  type OperatorToken,
  revokeAsOperator,
  tokensForOperator,
} from '@bailiff/engine/tokens/operator-tokens';
import { EX_USAGE, fail, onDatabase, readListOrEnd, say } from './operator.ts';

const USAGE = `Usage: npm run tokens -- list [guild id]
       npm run tokens -- revoke <token id>
       npm run tokens -- revoke --guild <guild id> all`;

async function main(): Promise<void> {
  const command = readListOrEnd(process.argv.slice(2), {
    end: 'revoke',
    owner: 'guild',
    id: /^tok_[0-9a-f]{32}$/,
  });
  if (command === null) return fail(USAGE, EX_USAGE);
  if (command.verb === 'list') {
    return onDatabase('bailiff-tokens', 'The tokens could not be listed', async (db) => {
      for await (const token of tokensForOperator(db, command.ownerId)) say(lineOf(token));
    });
  }
  await onDatabase('bailiff-tokens', 'Nothing was revoked', async (db) => {
    const { which } = command;
    const revoked = await revokeAsOperator(
      db,
      'id' in which ? { tokenId: which.id } : { guildId: which.ownerId },
    );
    if (revoked !== null) return say(`Tokens permanently revoked: ${revoked.join(' ') || 'none was live'}.`);
    fail(
      'id' in which
        ? `There is no token ${which.id}. npm run tokens -- list shows those there are.`
        : `Bailiff does not know the guild ${which.ownerId}: is the bot in it?`,
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

await main();
