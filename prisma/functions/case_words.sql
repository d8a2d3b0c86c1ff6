-- before: migrations
-- The words of a case, for the search of cases. Words are separated by spaces and punctuation; otherwise a web address
-- would be one word. The guild is a word too, so that words which are common in other guilds do not slow the search
-- down.
--
-- An index of "cases" uses this function. If its result changes, a migration must rebuild "cases_words_idx".
CREATE OR REPLACE FUNCTION case_words(guild_id text, reason text, category text, player_name text, in_game_id text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(ARRAY['guild:' || guild_id]) || to_tsvector('simple', translate(
    coalesce(reason, '') || ' ' || coalesce(category, '') || ' ' || coalesce(player_name, '') || ' ' || coalesce(in_game_id, ''),
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
$$;
