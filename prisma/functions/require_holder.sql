-- Ends a transaction that writes for the shards of a bot process when another process has taken them. Until the
-- transaction ends, nobody takes them.
CREATE OR REPLACE FUNCTION require_holder(p_holder text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('shards of ' || p_holder, 0));
  IF NOT EXISTS (SELECT FROM shard_holders WHERE id = p_holder) THEN
    RAISE EXCEPTION 'Another process has taken the shards of this one.' USING ERRCODE = 'BF006';
  END IF;
END
$$;
