-- Ends an action that has given a sanction to its target, in one statement: ends the cases that the new one replaces,
-- opens the new one and settles the action. Raises an error if the action had ended before, like settle_or_fail, so that
-- COMMIT can be sent right behind.
--
-- p_answer is the action's result: an object whose only value is the case. What only the database knows of the case is
-- put into it. p_ends says whether earlier cases of the kind end, and p_by_bot whether the bot ends those that expire.
-- p_absent: nobody was told, because the target is not a member.
CREATE OR REPLACE FUNCTION settle_sanction(
  p_action_id text, p_kind "CaseKind", p_id_prefix text, p_reason text, p_duration_minutes int,
  p_ends boolean, p_by_bot boolean, p_end_reason text, p_absent boolean, p_answer jsonb
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  action actions;
  opened cases;
  known jsonb;
BEGIN
  SELECT * INTO action FROM actions WHERE id = p_action_id;
  IF p_ends THEN
    PERFORM end_cases_of(action.guild_id, p_kind, action.target_id, action.actor_user_id, p_end_reason, action.id,
      clock_timestamp(), p_by_bot);
  END IF;
  -- Before the case, because its trigger has those told who were not.
  IF p_absent THEN
    INSERT INTO target_notices (action_id, state)
    SELECT action.id, 'absent' FROM guilds WHERE id = action.guild_id AND notifies_targets
    ON CONFLICT DO NOTHING;
  END IF;
  opened := open_case(action.guild_id, p_kind, p_id_prefix, action.target_id, p_reason, action.actor_user_id,
    p_duration_minutes, action.id);
  known := jsonb_build_object('id', opened.id, 'case_number', opened.case_number,
    'issued_at', iso_time(opened.issued_at), 'expires_at', iso_time(opened.expires_at),
    'lifted_by', opened.ended_by, 'lifted_at', iso_time(opened.ended_at),
    'active', case_is_in_force(opened.ended_at, opened.expires_at));
  PERFORM settle_or_fail(action.id, 'done', (
    SELECT jsonb_object_agg(answer.key, answer.value || (
      SELECT jsonb_object_agg(field.key, field.value) FROM jsonb_each(known) AS field WHERE answer.value ? field.key))
    FROM jsonb_each(p_answer) AS answer), NULL);
END
$$;
