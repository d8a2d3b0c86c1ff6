-- Opens a case and returns it. Its number is drawn in the caller's transaction, under the lock of the guild's counter:
-- no gaps, no repetitions (decisions: Operations). A case of an action that a worker took up begins and ends as from
-- that moment, though it may be settled hours later. If another ban or mute was given until then, that one has replaced
-- it: the latest decision counts.
CREATE OR REPLACE FUNCTION open_case(
  p_guild_id text, p_kind "CaseKind", p_id_prefix text, p_user_id text, p_reason text, p_issued_by text,
  p_duration_minutes int, p_action_id text, p_severity "StrikeSeverity" DEFAULT NULL, p_category text DEFAULT NULL,
  p_player_name text DEFAULT NULL, p_in_game_id text DEFAULT NULL
) RETURNS cases LANGUAGE plpgsql AS $$
DECLARE
  number int;
  opened cases;
  later cases;
  moment timestamptz;
  source "ActorSource";
BEGIN
  -- The actions of a mass action are the system's, and have its id as their request.
  SELECT a.claimed_at, coalesce(mass.actor_source, a.actor_source) INTO moment, source
  FROM actions a
  LEFT JOIN actions mass ON a.actor_source = 'system' AND mass.id = a.request_id AND mass.guild_id = a.guild_id
  WHERE a.id = p_action_id;
  moment := coalesce(moment, now());
  -- The reason is that of replacedBy in packages/engine/src/cases/sanctions.ts.
  IF p_kind::text IN ('ban', 'softban', 'mute') THEN
    SELECT * INTO later FROM cases
    WHERE guild_id = p_guild_id AND user_id = p_user_id AND issued_at > late_since(p_action_id)
      AND (kind = p_kind OR p_kind <> 'mute' AND kind::text IN ('ban', 'softban')) AND case_is_enforced(id, import_id)
    ORDER BY issued_at LIMIT 1;
  END IF;
  INSERT INTO guild_counters AS counter (guild_id, next_case_number) VALUES (p_guild_id, 2)
  ON CONFLICT (guild_id) DO UPDATE SET next_case_number = counter.next_case_number + 1
  RETURNING counter.next_case_number - 1 INTO number;
  INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes, expires_at,
                     severity, category, player_name, in_game_id, action_id, source, ended_at, ended_by, end_reason,
                     end_action_id)
  VALUES (new_id(p_id_prefix), p_guild_id, number, p_kind, p_user_id, p_reason, p_issued_by, moment, p_duration_minutes,
          moment + make_interval(mins => p_duration_minutes), p_severity, p_category, p_player_name, p_in_game_id,
          p_action_id, source, later.issued_at, later.issued_by, 'Replaced by a later ' || later.kind,
          later.action_id)
  RETURNING * INTO opened;
  RETURN opened;
END
$$;
