-- Counts calls that arrived together in the windows of their addresses, each in its turn. p_keys has the key of each
-- call; every key has all windows. Returns what each window holds after the call, and whether one of them refuses it.
CREATE OR REPLACE FUNCTION count_calls(p_keys text[], p_windows text[], p_most int[], p_window_ms bigint[])
RETURNS TABLE (call_no int, points int[], ms_left float8[], is_refused boolean)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH calls AS MATERIALIZED (
    SELECT calls.key, calls.call_no::int,
           count(*) OVER (PARTITION BY calls.key)::int AS together,
           row_number() OVER (PARTITION BY calls.key ORDER BY calls.call_no)::int AS turn
    FROM unnest(p_keys) WITH ORDINALITY AS calls (key, call_no)
  ), windows AS MATERIALIZED (
    SELECT * FROM unnest(p_windows, p_most, p_window_ms) WITH ORDINALITY AS windows (name, most, window_ms, place)
  ), counted AS MATERIALIZED (
    SELECT counted.* FROM (
      SELECT array_agg(name || ':' || key) AS keys, array_agg(together) AS wanted, array_agg(most) AS most,
             array_agg(window_ms) AS window_ms
      FROM calls CROSS JOIN windows WHERE turn = 1
    ) AS each, count_requests(each.keys, each.wanted, each.most, each.window_ms) AS counted
  )
  SELECT call_no, array_agg(counted.points - together + turn ORDER BY place),
         array_agg(counted.ms_left ORDER BY place), bool_or(counted.points - together + turn > most)
  FROM calls CROSS JOIN windows JOIN counted ON counted.key = windows.name || ':' || calls.key
  GROUP BY call_no;
END
$$;
