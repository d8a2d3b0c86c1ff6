-- How many bytes of files a guild can still keep as evidence: 512 MB together (decisions: Evidence). The lock has two
-- files of a guild counted one after the other, until the end of the transaction.
CREATE OR REPLACE FUNCTION evidence_room(p_guild_id text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('evidence ' || p_guild_id, 0));
  RETURN (SELECT 512 * 1024 * 1024 - coalesce(sum(size_bytes), 0) FROM evidence
    WHERE guild_id = p_guild_id AND content IS NOT NULL);
END
$$;
