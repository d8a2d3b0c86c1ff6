-- What a window of requests keeps after `wanted` more of them at `now_ms`, of which it admits as many as fit (spec §8).
--
-- The window slides: a slot is a twentieth of it and ends with its last request. It counts until the window has passed
-- since that end, so no window admits more than `most`, wherever it begins. `points` includes what was refused. Slots are
-- in the order of their ends. It runs twice for each request, so it is a loop and no query.
CREATE OR REPLACE FUNCTION slide_window(
  slot_ends bigint[], slot_points int[], now_ms bigint, wanted int, most int, window_ms bigint,
  OUT new_ends bigint[], OUT new_points int[], OUT points int
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  slot_ms bigint := greatest(1, window_ms / 20);
  slot_end bigint;
  kept int := 0;
BEGIN
  points := 0;
  FOR slot IN 1 .. cardinality(slot_ends) LOOP
    CONTINUE WHEN slot_ends[slot] <= now_ms - window_ms;
    -- A slot that ends in the future is from before the clock went back (hazards H10); it ends now.
    slot_end := least(slot_ends[slot], now_ms);
    IF kept > 0 AND new_ends[kept] / slot_ms = slot_end / slot_ms THEN
      new_points[kept] := new_points[kept] + slot_points[slot];
    ELSE
      kept := kept + 1;
      new_points[kept] := slot_points[slot];
    END IF;
    new_ends[kept] := slot_end;
    points := points + slot_points[slot];
  END LOOP;
  IF points < most THEN
    IF kept > 0 AND new_ends[kept] / slot_ms = now_ms / slot_ms THEN
      new_points[kept] := new_points[kept] + least(wanted, most - points);
    ELSE
      kept := kept + 1;
      new_points[kept] := least(wanted, most - points);
    END IF;
    new_ends[kept] := now_ms;
  END IF;
  points := points + wanted;
END
$$;
