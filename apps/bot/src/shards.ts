/** The shards that this process runs, and how many there are in all (docs/discord.md: Shards). */
export interface Shards {
  readonly ids: readonly number[];
  readonly count: number;
}

const MOST_SHARDS = 10_000;

type ParsedShards =
  | { readonly ok: true; readonly shards: Shards }
  | { readonly ok: false; readonly message: string };

function problem(message: string): ParsedShards {
  return { ok: false, message };
}

/** Parses `4` (all of four shards), `0-1/4` (two of the four) or `3/4` (one of them). */
export function parseShards(text: string): ParsedShards {
  const match = /^(?:(\d{1,5})(?:-(\d{1,5}))?\/)?(\d{1,5})$/.exec(text.trim());
  if (match === null) {
    return problem(
      'must be a number of shards such as 4, or those of this process and their number, such as 0-1/4',
    );
  }
  const count = Number(match[3]);
  if (count < 1 || count > MOST_SHARDS)
    return problem(`must have from 1 to ${MOST_SHARDS} shards, not ${count}`);
  const first = Number(match[1] ?? 0);
  const last = Number(match[2] ?? match[1] ?? count - 1);
  if (first > last) return problem(`must begin with the lower shard: ${last}-${first}/${count}`);
  if (last >= count) return problem(`names shard ${last}, but the last of ${count} is ${count - 1}`);
  return {
    ok: true,
    shards: { ids: Array.from({ length: last - first + 1 }, (_, index) => first + index), count },
  };
}

/** All shards, in one process. */
export function allShards(count: number): Shards {
  return { ids: Array.from({ length: count }, (_, id) => id), count };
}

/** Whether this process runs all shards. */
export function runsAll(shards: Shards | null): boolean {
  return shards === null || shards.ids.length === shards.count;
}

/** The shard that receives a guild's events from Discord. */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count));
}
