-- A trigger, in the transaction that opens cases: gives them what was attached to their actions, and adds the job that
-- lifts each temporary ban when it expires, the one that posts the case in the log channel, and the one that sends a
-- direct message to its target, unless one was sent before the sanction. Cases without an action, made by hand in
-- Discord, send no message. Imported cases are records: nothing follows them.
CREATE OR REPLACE FUNCTION follow_opened_cases() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  -- What was attached to the action before it was submitted (attach_evidence).
  UPDATE evidence e SET case_id = c.id FROM opened c
  WHERE e.action_id = c.action_id AND e.guild_id = c.guild_id AND e.case_id IS NULL;
  UPDATE case_messages m SET case_id = c.id FROM opened c
  WHERE m.action_id = c.action_id AND m.guild_id = c.guild_id AND m.case_id IS NULL;

  -- Any bot process that runs then does it, even if the bot was down at that moment.
  PERFORM graphile_worker.add_job('end_ban', json_build_object('case_id', id), run_at => expires_at,
    job_key => 'end_ban:' || id)
  FROM opened
  WHERE kind::text IN ('ban', 'softban') AND expires_at IS NOT NULL AND action_id IS NOT NULL AND ended_at IS NULL;

  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', c.id),
    job_key => 'post_case:' || c.id, max_attempts => 10)
  FROM opened c JOIN guilds g ON g.id = c.guild_id
  WHERE g.log_channel_id IS NOT NULL AND c.import_id IS NULL
    -- Hundreds of cases of one mass action are one post, that of the action.
    AND NOT is_of_many(c.action_id);

  -- The post of a strike shows the sanction that the strike caused.
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', e.strike_id),
    job_key => 'post_case:' || e.strike_id, max_attempts => 10)
  FROM opened c JOIN escalations e ON e.action_id = c.action_id JOIN guilds g ON g.id = c.guild_id
  WHERE g.log_channel_id IS NOT NULL;

  -- Priority 10, so that other jobs do not wait behind many messages.
  PERFORM graphile_worker.add_job('tell_target', json_build_object('case_id', c.id),
    job_key => 'tell_target:' || c.id, max_attempts => 10, priority => 10)
  FROM opened c JOIN guilds g ON g.id = c.guild_id
  WHERE g.notifies_targets AND c.action_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM target_notices n WHERE n.action_id = c.action_id);
  RETURN NULL;
END
$$;
