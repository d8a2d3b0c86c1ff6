-- before: migrations
-- What an index of names holds: all parts of three characters of the texts, each with each of the guilds, as numbers.
-- With the guild in them, names that are common in other guilds do not slow a search down. Null if there are none.
--
-- Loops and no query: a query would be planned for each name, which takes four times as long.
--
-- Indexes of "members" and "known_names" use this function. If the numbers change, a migration must rebuild them.
CREATE OR REPLACE FUNCTION name_grams(p_guild_ids text[], p_texts text[]) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
DECLARE
  guild_id text;
  name text;
  grams bigint[];
BEGIN
  FOREACH guild_id IN ARRAY coalesce(p_guild_ids, '{}') LOOP
    FOREACH name IN ARRAY coalesce(p_texts, '{}') LOOP
      FOR place IN 1..coalesce(char_length(name), 0) - 2 LOOP
        grams := grams || hashtextextended(guild_id || ':' || substr(name, place, 3), 0);
      END LOOP;
    END LOOP;
  END LOOP;
  RETURN grams;
END
$$;
