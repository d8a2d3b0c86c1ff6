-- before: migrations
-- A new id: a prefix and a UUIDv7 with microseconds, so that ids sort by the moment they were made (decisions: Names).
-- It is written out because PostgreSQL has uuidv7() only since version 18. Tables use it as the default of their ids,
-- so it exists before them. It runs for every row, so it is kept cheap.
CREATE OR REPLACE FUNCTION new_id(prefix text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  micros bigint := extract(epoch FROM clock_timestamp()) * 1000000;
BEGIN
  RETURN prefix || '_' || lpad(to_hex(micros / 1000), 12, '0')
    || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17);
END
$$;
