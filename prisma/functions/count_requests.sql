-- Counts requests in the sliding windows of their keys (spec §8), many keys in one statement. Each key is given once.
-- Returns the requests in each window, refused ones included, how many it admits, and how long until its oldest ones no
-- longer count.
--
-- The keys are sorted, so that two processes that count the same keys cannot deadlock.
CREATE OR REPLACE FUNCTION count_requests(p_keys text[], p_wanted int[], p_most int[], p_window_ms bigint[])
RETURNS TABLE (key text, points int, most int, ms_left float8)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  now_ms bigint := floor(extract(epoch FROM statement_timestamp()) * 1000);
BEGIN
  RETURN QUERY
  WITH counted AS MATERIALIZED (
    SELECT * FROM unnest(p_keys, p_wanted, p_most, p_window_ms) AS counted (key, wanted, most, window_ms)
  ), kept AS (
    INSERT INTO rate_limits AS kept (key, points, expire, slot_ends, slot_points)
    -- What a window keeps of its first requests.
    SELECT key, wanted, now_ms + window_ms, ARRAY[now_ms], ARRAY[least(wanted, most)] FROM counted ORDER BY key
    ON CONFLICT (key) DO UPDATE SET (points, expire, slot_ends, slot_points) = (
      SELECT slid.points, now_ms + window_ms, new_ends, new_points
      FROM counted, slide_window(kept.slot_ends, kept.slot_points, now_ms, wanted, most, window_ms) AS slid
      WHERE counted.key = kept.key)
    RETURNING kept.key, kept.points, kept.slot_ends[1] AS first_end
  )
  SELECT counted.key, kept.points, most, (first_end - now_ms + window_ms)::float8
  FROM kept JOIN counted ON counted.key = kept.key;
END
$$;
