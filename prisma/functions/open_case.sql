-- Opens a case and returns it. Its number is drawn in the caller's transaction, under the lock of the guild's counter:
-- no gaps, no repetitions (decisions: Operations). A case of an action that a worker took up begins and ends as from
-- that moment, though it may be settled hours later.
CREATE OR REPLACE FUNCTION open_case(
  p_guild_id text, p_kind "CaseKind", p_id_prefix text, p_user_id text, p_reason text, p_issued_by text,
  p_duration_minutes int, p_action_id text, p_severity "StrikeSeverity" DEFAULT NULL, p_category text DEFAULT NULL,
  p_player_name text DEFAULT NULL, p_in_game_id text DEFAULT NULL
) RETURNS cases LANGUAGE plpgsql AS $$
DECLARE
  number int;
  opened cases;
  moment timestamptz;
  source "ActorSource";
BEGIN
  -- The actions of a mass action are the system's, and have its id as their request.
  SELECT a.claimed_at, coalesce(mass.actor_source, a.actor_source) INTO moment, source
  FROM actions a
  LEFT JOIN actions mass ON a.actor_source = 'system' AND mass.id = a.request_id AND mass.guild_id = a.guild_id
  WHERE a.id = p_action_id;
  moment := coalesce(moment, now());
  INSERT INTO guild_counters AS counter (guild_id, next_case_number) VALUES (p_guild_id, 2)
  ON CONFLICT (guild_id) DO UPDATE SET next_case_number = counter.next_case_number + 1
  RETURNING counter.next_case_number - 1 INTO number;
  INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes, expires_at,
                     severity, category, player_name, in_game_id, action_id, source)
  VALUES (new_id(p_id_prefix), p_guild_id, number, p_kind, p_user_id, p_reason, p_issued_by, moment, p_duration_minutes,
          moment + make_interval(mins => p_duration_minutes), p_severity, p_category, p_player_name, p_in_game_id,
          p_action_id, source)
  RETURNING * INTO opened;
  RETURN opened;
END
$$;
