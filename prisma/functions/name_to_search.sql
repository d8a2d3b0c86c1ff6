-- before: migrations
-- A name as it is searched for: two spaces, then the name in lower case without accents, styled letters and characters
-- that nobody sees. The spaces mark its beginning.
--
-- Indexes of "members" and "known_names" use this function. If its result changes, a migration must rebuild them.
CREATE OR REPLACE FUNCTION name_to_search(p_name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '  ' || translate(lower(regexp_replace(normalize(p_name, NFKD),
    '[\u0300-\u036f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0]',
    '', 'g')), 'øłđħı', 'oldhi')
$$;
