import { type Database, sql, TokenKind } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';
import { revokeTokens } from './revocations.ts';
import { TOKEN_STATE, type TokenState } from './token-view.ts';

/** A token as the operator sees it, without anything of its secret. */
export interface OperatorToken {
  readonly id: string;
  readonly guildId: string;
  readonly guildName: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly issuerId: string;
  readonly state: TokenState;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

const PAGE = 500;

const pageOfTokens = sql.statement({
  parameters: [sql.text, sql.text.orNull, sql.bigint],
  columns: {
    id: sql.text,
    guildId: sql.text,
    guildName: sql.text,
    name: sql.text,
    kind: sql.oneOf({ TokenKind }),
    issuerId: sql.text,
    state: sql.text.as<TokenState>(),
    expiresAt: sql.timestamptz.orNull,
    lastUsedAt: sql.timestamptz.orNull,
  },
  text: `SELECT t.id, t.guild_id AS "guildId", g.name AS "guildName", t.name, t.kind, t.issuer_id AS "issuerId",
      ${TOKEN_STATE} AS state, t.expires_at AS "expiresAt", t.last_used_at AS "lastUsedAt"
    FROM tokens t JOIN guilds g ON g.id = t.guild_id
    WHERE t.id > $1 AND ($2::text IS NULL OR t.guild_id = $2) ORDER BY t.id LIMIT $3`,
});

/** Every token of a guild, or of all guilds if null, oldest first. Reads page by page. */
export async function* tokensForOperator(
  db: Database,
  guildId: string | null,
): AsyncGenerator<OperatorToken> {
  for (let after = ''; ; ) {
    const rows: OperatorToken[] = await pageOfTokens.all(db.pool, [after, guildId, PAGE]);
    yield* rows;
    if (rows.length < PAGE) return;
    after = rows.at(-1)?.id ?? '';
  }
}

/**
 * Revokes a token, or all tokens of a guild, for the operator: at once and permanently, with an audit row each.
 *
 * @returns ids of the tokens that this call revoked; null if there is no such token or guild
 */
export function revokeAsOperator(
  db: Database,
  which: { readonly tokenId: string } | { readonly guildId: string },
): Promise<string[] | null> {
  return inTransaction(db, async (tx) => {
    if ('tokenId' in which) {
      if ((await tx.prisma.token.count({ where: { id: which.tokenId } })) === 0) return null;
      return revokeTokens(tx, { tokenIds: [which.tokenId] }, 'operator', 'operator');
    }
    if ((await tx.prisma.guild.count({ where: { id: which.guildId } })) === 0) return null;
    return revokeTokens(tx, { guildId: which.guildId }, 'operator', 'operator');
  });
}
