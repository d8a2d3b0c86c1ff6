-- after: functions/name_to_search
-- The part of a name that somebody types, as `name_to_search` writes names. Three letters and more are found anywhere, two
-- at the beginning of a word, and one at the beginning of a name. Null if nothing of the text can be seen.
CREATE OR REPLACE FUNCTION name_part(p_typed text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN char_length(name) > 4 THEN substr(name, 3) WHEN char_length(name) > 2 THEN right(name, 3) END
  FROM name_to_search(btrim(p_typed)) AS name
$$;
