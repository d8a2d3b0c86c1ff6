-- The words of cases are separated by what separates words in every script. Processes of the release before search with
-- "cases_words_idx" meanwhile, and read cases while this is built: to build that one again would make them wait.
CREATE INDEX "cases_search_words_idx" ON "cases"
  USING gin (case_search_words("guild_id", "reason", "category", "player_name", "in_game_id"));
