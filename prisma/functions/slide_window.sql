-- What a window of requests keeps after `wanted` more of them at `now_ms`, of which it admits as many as fit (spec §8).
--
-- The window slides: a slot is a twentieth of it and ends with its last request. It counts until the window has passed
-- since that end, so no window admits more than `most`, wherever it begins. `points` includes what was refused.
CREATE OR REPLACE FUNCTION slide_window(
  slot_ends bigint[], slot_points int[], now_ms bigint, wanted int, most int, window_ms bigint
) RETURNS TABLE (new_ends bigint[], new_points int[], points int) LANGUAGE sql IMMUTABLE AS $$
  WITH live AS (
    -- A slot that ends in the future is from before the clock went back (hazards H10); it ends now.
    SELECT least(slot_end, now_ms) AS slot_end, slot_points
    FROM unnest(slot_ends, slot_points) AS slot (slot_end, slot_points)
    WHERE slot_end > now_ms - window_ms
  ), total AS (
    SELECT coalesce(sum(slot_points), 0)::int AS counted FROM live
  ), kept AS (
    SELECT max(slot_end) AS slot_end, sum(slot_points)::int AS slot_points
    FROM (TABLE live UNION ALL SELECT now_ms, least(wanted, most - counted) FROM total WHERE counted < most) AS slot
    GROUP BY slot_end / greatest(1, window_ms / 20)
  )
  SELECT array_agg(slot_end ORDER BY slot_end), array_agg(slot_points ORDER BY slot_end),
         (SELECT counted + wanted FROM total)
  FROM kept
$$;
