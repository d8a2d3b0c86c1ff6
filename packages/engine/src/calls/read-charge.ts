import { type Call, digestOf, entryOf, type ReadOperation, TIERS } from '@bailiff/core';
import { sql, type ValuesOf } from '@bailiff/prisma';
import type { AdmittedToken } from './admission.ts';

/** A read over a token. */
export type ReadCall<N extends ReadOperation = ReadOperation> = Call<N> & {
  readonly token: AdmittedToken;
  readonly requestId: string;
  readonly address: string;
};

/** What is recorded of a read, and what it costs: the parameters after those of the read. */
export const CHARGE = [
  sql.text,
  sql.text,
  sql.text,
  sql.text,
  sql.text,
  sql.text.orNull,
  sql.text.orNull,
  sql.text,
  sql.text,
  sql.text,
  sql.float,
  sql.float,
  sql.bool,
] as const;

export const CHARGED = {
  refused_by: sql.text.as<'token' | 'user'>().orNull,
  retry_after_seconds: sql.float.orNull,
  token_balance: sql.float,
  user_balance: sql.float,
};

/** The calls of the SQL functions that charge and record a read, with placeholders behind those of the read. */
export function chargeBehind(count: number) {
  const places = CHARGE.map((_, n) => `$${count + n + 1}`);
  const [guild, token, , user] = places;
  return {
    spend: `spend_read(${[guild, token, user, ...places.slice(10)].join(', ')})`,
    /** @param ended SQL of the outcome and of the code */
    record: (ended: string) => `record_read(${places.slice(0, 10).join(', ')}, ${ended})`,
  };
}

/** What is recorded of a read over a token. */
export interface ReadRecord {
  readonly operation: ReadOperation;
  readonly guildId: string;
  readonly target: { readonly type: string; readonly id: string } | null;
  readonly digest: string;
  readonly requestId: string;
  readonly address: string;
}

export function recordOf(
  { operation, input, requestId, address }: Call<ReadOperation> & Pick<ReadCall, 'requestId' | 'address'>,
  guildId: string,
): ReadRecord {
  const target = entryOf(operation).target(input);
  return { operation, guildId, target, digest: digestOf(operation, guildId, input), requestId, address };
}

/** The values of {@link CHARGE}. */
export function chargeOf({ token, ...call }: ReadCall): ValuesOf<typeof CHARGE> {
  const { guildId, operation, target, requestId, address, digest } = recordOf(call, token.guild.id);
  return [
    guildId,
    token.id,
    token.name,
    token.issuerId,
    operation,
    target?.type ?? null,
    target?.id ?? null,
    requestId,
    address,
    digest,
    TIERS.read.capacity,
    TIERS.read.refillPerMinute,
    !token.usedLately,
  ];
}
