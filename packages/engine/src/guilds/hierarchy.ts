import { type Queryable, sql } from '@bailiff/prisma';

/** A role, as the mirror has it. */
interface MirroredRole {
  readonly id: string;
  readonly position: number;
  /** Bit set as a decimal number. */
  readonly permissions: string;
}

/** What the mirror knows of who stands above whom in a guild (SQL `hierarchy_of`). */
export interface MirroredHierarchy {
  readonly owner_id: string;
  readonly requires_two_factor: boolean;
  readonly roles: readonly MirroredRole[] | null;
  readonly bot_user_id: string;
  /** Roles of the bot and of who acts. Null for somebody who is not in the mirror. */
  readonly bot_role_ids: readonly string[] | null;
  readonly actor_role_ids: readonly string[] | null;
  readonly actor_username: string | null;
}

const hierarchyOf = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { hierarchy: sql.jsonb<MirroredHierarchy>() },
  text: 'SELECT hierarchy FROM hierarchy_of($1, $2)',
});

/** The hierarchy of a guild as somebody acts there. Null while its mirror is not trusted. */
export async function mirroredHierarchy(
  db: Queryable,
  guildId: string,
  actorUserId: string,
): Promise<MirroredHierarchy | null> {
  return (await hierarchyOf.first(db, [guildId, actorUserId]))?.hierarchy ?? null;
}
