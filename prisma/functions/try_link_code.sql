-- What a member of the guild asked to link with a code, as { link_id, user_id }, or { refused } with the reason.
-- Whoever has typed p_most wrong codes within p_window_ms is refused, right or wrong, until the window has passed. Codes
-- that are right are not counted.
CREATE OR REPLACE FUNCTION try_link_code(
  p_guild_id text, p_user_id text, p_code_hash bytea, p_most int, p_window_ms bigint
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  window_key text := 'link:' || p_guild_id || ':' || p_user_id;
  wrong int;
  found jsonb;
BEGIN
  -- One at a time, so that no two wrong codes are both the last one.
  PERFORM pg_advisory_xact_lock(hashtextextended(window_key, 0));
  SELECT slid.points INTO wrong
  FROM rate_limits r, slide_window(r.slot_ends, r.slot_points,
    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, 0, 0, p_window_ms) AS slid
  WHERE r.key = window_key;
  IF wrong >= p_most THEN
    RETURN '{"refused": "LINK_TRIES"}';
  END IF;
  SELECT jsonb_build_object('link_id', l.id, 'user_id', l.user_id) INTO found
  FROM identity_links l
  WHERE l.guild_id = p_guild_id AND l.code_hash = p_code_hash AND l.expires_at > clock_timestamp();
  IF found IS NULL THEN
    PERFORM count_requests(ARRAY[window_key], ARRAY[1], ARRAY[p_most], ARRAY[p_window_ms]);
    RETURN '{"refused": "LINK_CODE"}';
  END IF;
  RETURN found;
END
$$;
