-- after: functions/case_is_in_force, functions/late_since
-- Ends every case of a kind that a user has in force, and returns them. What Discord ends is over with its time; what the
-- bot ends (p_by_bot) stays in force until it is lifted. A softban that is still to be lifted is a ban. What was given
-- after the action began that ends them is a later decision, and stays.
CREATE OR REPLACE FUNCTION end_cases_of(
  p_guild_id text, p_kind "CaseKind", p_user_id text, p_ended_by text, p_end_reason text, p_end_action_id text,
  p_ended_at timestamptz, p_by_bot boolean
) RETURNS SETOF cases LANGUAGE sql AS $$
  UPDATE cases SET ended_at = p_ended_at, ended_by = p_ended_by, end_reason = p_end_reason, end_action_id = p_end_action_id
  WHERE guild_id = p_guild_id AND (kind = p_kind OR p_kind = 'ban' AND kind::text = 'softban')
    AND user_id = p_user_id AND ended_at IS NULL
    AND (p_by_bot OR case_is_in_force(ended_at, expires_at, p_ended_at))
    AND issued_at <= coalesce(late_since(p_end_action_id), 'infinity')
  RETURNING *
$$;
