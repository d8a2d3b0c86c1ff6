-- A new id as `new_id` makes it, but of a moment in the past, so that records from elsewhere sort by when they were made.
CREATE OR REPLACE FUNCTION id_at(prefix text, p_at timestamptz) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT prefix || '_' || lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0') || '7'
    || substr(replace(gen_random_uuid()::text, '-', ''), 14)
$$;
