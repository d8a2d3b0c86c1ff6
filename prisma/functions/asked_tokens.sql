-- The secrets' hashes and actions of callers who ask to be admitted, numbered. PostgreSQL guesses one row, whatever it
-- knows of the arrays. With the bare arrays it guesses ten for a plan that serves every call, finds a plan for this
-- call's arrays cheaper, and plans the statement for every call, which takes longer than to run it.
CREATE OR REPLACE FUNCTION asked_tokens(p_hashes bytea[], p_action_ids text[])
RETURNS TABLE (hash bytea, action_id text, place bigint)
LANGUAGE plpgsql IMMUTABLE ROWS 1 AS $$
BEGIN
  RETURN QUERY SELECT * FROM unnest(p_hashes, p_action_ids) WITH ORDINALITY;
END
$$;
