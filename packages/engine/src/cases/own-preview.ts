import { isOperationName, type OutputOf } from '@bailiff/core';
import { ActionState, type Database, sql } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import type { ActionError } from '#src/calls/actions.ts';
import { capabilityOf } from '#src/calls/authorize.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { everybodyListed, type ListedPerson } from './people-lists.ts';

type Previewed = OutputOf<'bans.preview'>['preview'];

/** How far a preview of several people has got, and whom it spares. */
export interface OwnPreview {
  readonly state: ActionState;
  /** Null until it is done. */
  readonly preview: Previewed | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly spared: readonly Pick<ListedPerson, 'user_id' | 'spared'>[];
}

const previewOf = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: {
    operation: sql.text,
    state: sql.oneOf({ ActionState }),
    result: sql.jsonb<OutputOf<'bans.preview'>>().orNull,
    error: sql.jsonb<ActionError>().orNull,
  },
  text: `SELECT operation, state, result, error FROM actions
    WHERE id = $1 AND guild_id = $2 AND actor_user_id = $3 AND operation IN ('bans.preview', 'mutes.preview')`,
});

/**
 * A preview that its reader asked for, for the dialog that waits for it.
 *
 * @throws ApiError NOT_FOUND also for a preview of somebody else, or of what the reader may not do any more
 */
export async function ownPreview(
  db: Pick<Database, 'pool'>,
  viewer: Pick<Viewer, 'id' | 'capabilities'> & { readonly userId: string },
  actionId: string,
): Promise<OwnPreview> {
  const found = await previewOf.first(db.pool, [actionId, viewer.id, viewer.userId]);
  if (found === null || !isOperationName(found.operation)) return absent('action', actionId);
  const needed = capabilityOf(found.operation);
  if (needed === null || !viewer.capabilities.includes(needed)) return absent('action', actionId);
  const people = await everybodyListed(db, viewer.id, actionId);
  return {
    state: found.state,
    preview: found.result?.preview ?? null,
    error: found.error?.message ?? null,
    spared: people.flatMap(({ user_id, spared }) => (spared === null ? [] : [{ user_id, spared }])),
  };
}
