-- before: migrations
-- The words of a case, for the search of cases. Words are separated by spaces and punctuation; otherwise a web address
-- would be one word. Each stands behind the id of the guild, so that a search for the beginning of words reads those of
-- its own guild only, however common they are in others.
--
-- The words are put together as one text, with a character between them that no word holds: a query would be planned
-- for each case.
--
-- An index of "cases" uses this function. If its result changes, a migration must rebuild "cases_words_idx".
CREATE OR REPLACE FUNCTION case_words(guild_id text, reason text, category text, player_name text, in_game_id text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(string_to_array(guild_id || ' ' || array_to_string(
    tsvector_to_array(to_tsvector('simple', translate(
      coalesce(reason, '') || ' ' || coalesce(category, '') || ' ' || coalesce(player_name, '') || ' ' || coalesce(in_game_id, ''),
      '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))),
    E'\x01' || guild_id || ' '), E'\x01'))
$$;
