-- before: migrations
-- The words of a case, for the search of cases. A word is what stands between spaces and punctuation; without that
-- rule an address would be one word. The guild is a word too, so that a word common in other guilds costs nothing here.
--
-- An index of "cases" is built with it. A change of what it returns needs a migration that rebuilds "cases_words_idx".
CREATE OR REPLACE FUNCTION case_words(guild_id text, reason text, category text, player_name text, in_game_id text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(ARRAY['guild:' || guild_id]) || to_tsvector('simple', translate(
    coalesce(reason, '') || ' ' || coalesce(category, '') || ' ' || coalesce(player_name, '') || ' ' || coalesce(in_game_id, ''),
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
$$;
