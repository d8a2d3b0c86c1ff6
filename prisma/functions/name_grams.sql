-- before: migrations
-- What an index of names holds: all parts of three characters of the texts, each with each of the guilds, as numbers.
-- With the guild in them, names that are common in other guilds do not slow a search down. Null if there are none.
--
-- Indexes of "members" and "known_names" use this function. If its result changes, a migration must rebuild them.
CREATE OR REPLACE FUNCTION name_grams(p_guild_ids text[], p_texts text[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT array_agg(DISTINCT hashtextextended(guild_id || ':' || substr(name, place, 3), 0))
  FROM unnest(p_guild_ids) AS guild_id, unnest(p_texts) AS name, generate_series(1, char_length(name) - 2) AS place
$$;
