-- before: migrations
-- The words of a case, as processes of the release before search cases for; those of this one use "case_search_words".
-- Words are separated by spaces and punctuation; otherwise a web address would be one word. Each stands behind the id of the guild, so that a search for the beginning of words reads those of
-- its own guild only, however common they are in others.
--
-- The words are put together as one text, with a character between them that no word holds: a query would be planned
-- for each case.
--
-- A migration of the next release drops its index, "cases_words_idx", and this file goes with it.
CREATE OR REPLACE FUNCTION case_words(guild_id text, reason text, category text, player_name text, in_game_id text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(string_to_array(guild_id || ' ' || array_to_string(
    tsvector_to_array(to_tsvector('simple', translate(
      coalesce(reason, '') || ' ' || coalesce(category, '') || ' ' || coalesce(player_name, '') || ' ' || coalesce(in_game_id, ''),
      '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))),
    E'\x01' || guild_id || ' '), E'\x01'))
$$;
