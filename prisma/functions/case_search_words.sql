-- before: migrations
-- The words of a case, for the search of cases, in lower case. Words are separated by spaces, punctuation, symbols and
-- emoji of any script; otherwise a web address would be one word. Each stands behind the id of the guild, so that a
-- search for the beginning of words reads those of its own guild only, however common they are in others.
--
-- What PostgreSQL takes for a letter depends on the locale of the database, so the separators are named: all of these
-- categories that Unicode 17 has among its first 65,536 characters, and emoji with what they are put together with.
--
-- The words are put together as one text, with a character between them that no word holds: a query would be planned
-- for each case.
--
-- The index "cases_search_words_idx" holds what this function gives, so its result may not change: another one is
-- another function with another index.
CREATE OR REPLACE FUNCTION case_search_words(guild_id text, reason text, category text, player_name text, in_game_id text)
RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(string_to_array(guild_id || ' ' || replace(btrim(regexp_replace(lower(
    coalesce(reason, '') || ' ' || coalesce(category, '') || ' ' || coalesce(player_name, '') || ' ' || coalesce(in_game_id, '')),
    '['
    '\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7'
    '\u02c2-\u02c5\u02d2-\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u0375\u037e\u0384\u0385\u0387\u03f6\u0482'
    '\u055a-\u055f\u0589\u058a\u058d-\u058f\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f'
    '\u066a-\u066d\u06d4\u06dd\u06de\u06e9\u06fd\u06fe\u0700-\u070d\u070f\u07f6-\u07f9\u07fe\u07ff\u0830-\u083e\u085e'
    '\u0888\u0890\u0891\u08e2\u0964\u0965\u0970\u09f2\u09f3\u09fa\u09fb\u09fd\u0a76\u0af0\u0af1\u0b70\u0bf3-\u0bfa'
    '\u0c77\u0c7f\u0c84\u0d4f\u0d79\u0df4\u0e3f\u0e4f\u0e5a\u0e5b\u0f01-\u0f17\u0f1a-\u0f1f\u0f34\u0f36\u0f38'
    '\u0f3a-\u0f3d\u0f85\u0fbe-\u0fc5\u0fc7-\u0fcc\u0fce-\u0fda\u104a-\u104f\u109e\u109f\u10fb\u1360-\u1368'
    '\u1390-\u1399\u1400\u166d\u166e\u1680\u169b\u169c\u16eb-\u16ed\u1735\u1736\u17d4-\u17d6\u17d8-\u17db'
    '\u1800-\u180a\u180e\u1940\u1944\u1945\u19de-\u19ff\u1a1e\u1a1f\u1aa0-\u1aa6\u1aa8-\u1aad\u1b4e\u1b4f'
    '\u1b5a-\u1b6a\u1b74-\u1b7f\u1bfc-\u1bff\u1c3b-\u1c3f\u1c7e\u1c7f\u1cc0-\u1cc7\u1cd3\u1fbd\u1fbf-\u1fc1'
    '\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd\u1ffe\u2000-\u206f\u207a-\u207e\u208a-\u208e\u20a0-\u2101'
    '\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123\u2125\u2127\u2129\u212e\u213a\u213b\u2140-\u2144'
    '\u214a-\u214d\u214f\u218a-\u244a\u249c-\u24e9\u2500-\u2775\u2794-\u2bff\u2ce5-\u2cea\u2cf9-\u2cfc\u2cfe\u2cff'
    '\u2d70\u2e00-\u2e2e\u2e30-\u3004\u3008-\u3020\u3030\u3036\u3037\u303d-\u303f\u309b\u309c\u30a0\u30fb\u3190\u3191'
    '\u3196-\u319f\u31c0-\u31e5\u31ef\u3200-\u321e\u322a-\u3247\u3250\u3260-\u327f\u328a-\u32b0\u32c0-\u33ff'
    '\u4dc0-\u4dff\ua490-\ua4c6\ua4fe\ua4ff\ua60d-\ua60f\ua673\ua67e\ua6f2-\ua6f7\ua700-\ua716\ua720\ua721'
    '\ua789\ua78a\ua828-\ua82b\ua836-\ua839\ua874-\ua877\ua8ce\ua8cf\ua8f8-\ua8fa\ua8fc\ua92e\ua92f\ua95f'
    '\ua9c1-\ua9cd\ua9de\ua9df\uaa5c-\uaa5f\uaa77-\uaa79\uaade\uaadf\uaaf0\uaaf1\uab5b\uab6a\uab6b\uabeb\ufb29'
    '\ufbb2-\ufbd2\ufd3e-\ufd4f\ufd90\ufd91\ufdc8-\ufdcf\ufdfc-\ufe19\ufe30-\ufe6b\ufeff-\uff0f\uff1a-\uff20'
    '\uff3b-\uff40\uff5b-\uff65\uffe0-\ufffd'
    '\U0001f000-\U0001f0ff\U0001f10d-\U0001fbef\U000e0000-\U000e0fff'
    ']+', ' ', 'g')), ' ', E'\x01' || guild_id || ' '), E'\x01'))
$$;
