-- A new id as `new_id` makes it, but of a moment in the past, so that records from elsewhere sort by when they were made.
-- Those of one millisecond sort by p_nth, up to 2^18: its bits stand where chance has them elsewhere, on both sides of
-- the two that every UUID has.
CREATE OR REPLACE FUNCTION id_at(prefix text, p_at timestamptz, p_nth int) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT prefix || '_' || lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0')
    || '7' || lpad(to_hex(p_nth / 64 % 4096), 3, '0') || to_hex(128 + p_nth % 64)
    || substr(replace(gen_random_uuid()::text, '-', ''), 19)
$$;
