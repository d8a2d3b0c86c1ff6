-- A moment as answers show it: what `toISOString` of JavaScript gives.
CREATE OR REPLACE FUNCTION iso_time(moment timestamptz) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
