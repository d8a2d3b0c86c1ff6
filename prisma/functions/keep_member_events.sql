-- Keeps that people joined or left, or were seen with a name, in the order in which it happened. A name is kept if it
-- differs from the one that the guild knew: the one since the person joined, or the one on its records. Whoever is in the
-- mirror is left to its trigger, and a name that nobody knew before adds no row.
--
-- An event that arrives twice is kept once.
CREATE OR REPLACE FUNCTION keep_member_events(p_events jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  event record;
  latest member_events;
  named record;
BEGIN
  FOR event IN
    SELECT e.* FROM ROWS FROM (jsonb_to_recordset(p_events) AS ("guildId" text, "userId" text, what text,
      "joinedAt" timestamptz, username text, "displayName" text)) WITH ORDINALITY
      AS e (guild_id, user_id, what, joined_at, username, display_name, place)
    JOIN guilds g ON g.id = e.guild_id ORDER BY place
  LOOP
    SELECT * INTO latest FROM member_events
    WHERE guild_id = event.guild_id AND user_id = event.user_id ORDER BY at DESC LIMIT 1;
    IF event.what = 'joined' THEN
      event.joined_at := least(coalesce(event.joined_at, clock_timestamp()), clock_timestamp());
      CONTINUE WHEN EXISTS (SELECT FROM member_events WHERE guild_id = event.guild_id AND user_id = event.user_id
          AND kind = 'joined' AND at = event.joined_at::timestamptz(3))
        OR NOT may_keep_member_event(event.guild_id, event.user_id);
      INSERT INTO member_events (guild_id, user_id, at, kind, username, display_name)
      -- Discord's clock may be behind ours, by which they left.
      VALUES (event.guild_id, event.user_id, greatest(event.joined_at, latest.at + interval '1 ms'), 'joined',
        event.username, event.display_name)
      ON CONFLICT DO NOTHING;
    ELSIF event.what = 'left' THEN
      CONTINUE WHEN latest.kind = 'left' AND latest.at > clock_timestamp() - interval '1 minute'
        OR NOT may_keep_member_event(event.guild_id, event.user_id);
      INSERT INTO member_events (guild_id, user_id, at, kind)
      VALUES (event.guild_id, event.user_id, greatest(clock_timestamp(), latest.at + interval '1 ms'), 'left')
      ON CONFLICT DO NOTHING;
    ELSE
      CONTINUE WHEN EXISTS (SELECT FROM members WHERE guild_id = event.guild_id AND user_id = event.user_id);
      SELECT username, display_name INTO named FROM (
        (SELECT e.username, e.display_name, 1 AS rank FROM member_events e
          WHERE e.guild_id = event.guild_id AND e.user_id = event.user_id AND e.username IS NOT NULL
          ORDER BY at DESC LIMIT 1)
        -- The name that records show is not the one in the guild: only the username can be compared.
        UNION ALL SELECT k.username, NULL, 2 FROM known_names k
          WHERE k.user_id = event.user_id AND event.guild_id = ANY (k.guild_ids)
        ORDER BY rank LIMIT 1) AS names;
      CONTINUE WHEN named.username IS NULL
        OR named.username = event.username AND coalesce(named.display_name, event.display_name) = event.display_name
        OR NOT may_keep_member_event(event.guild_id, event.user_id);
      INSERT INTO member_events (guild_id, user_id, at, kind, username, display_name, old_username, old_display_name)
      VALUES (event.guild_id, event.user_id, greatest(clock_timestamp(), latest.at + interval '1 ms'), 'renamed',
        event.username, event.display_name, named.username, named.display_name)
      ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
END
$$;
