-- Gives shards to a bot process: those of `p_wanted` that no other process has. A process that did not renew since it was
-- seen at `p_renewals` loses all that it has, and what it still writes for these shards is refused (`require_holder`).
-- Returns what the process has got. Null if the process itself was replaced meanwhile.
CREATE OR REPLACE FUNCTION take_shards(p_holder text, p_wanted int[], p_from text, p_renewals bigint) RETURNS int[]
LANGUAGE plpgsql AS $$
DECLARE
  taken int[];
BEGIN
  -- One process takes at a time.
  PERFORM pg_advisory_xact_lock(hashtextextended('take shards', 0));
  IF p_from IS NOT NULL THEN
    -- What it is writing is written before, or not at all.
    PERFORM pg_advisory_xact_lock(hashtextextended('shards of ' || p_from, 0));
    DELETE FROM shard_holders WHERE id = p_from AND renewals = p_renewals;
  END IF;
  SELECT coalesce(array_agg(wanted ORDER BY wanted), '{}') INTO taken FROM unnest(p_wanted) AS wanted
  WHERE NOT EXISTS (
    SELECT FROM shard_holders h JOIN shard_holders me ON me.id = p_holder
    -- Shards of another number of shards share guilds with these.
    WHERE h.shard_ids <> '{}' AND (h.shard_count <> me.shard_count OR wanted = ANY (h.shard_ids)));
  UPDATE shard_holders SET shard_ids = shard_ids || taken WHERE id = p_holder;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN taken;
END
$$;
