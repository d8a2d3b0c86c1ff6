-- A trigger, in the transaction that opens cases, whoever does: adds the job that posts each in the log channel, and
-- the one that tells its target. A ban tells its target before it is carried out. What was done by hand in Discord,
-- without an action, is told to nobody.
CREATE OR REPLACE FUNCTION follow_opened_cases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', c.id),
    job_key => 'post_case:' || c.id, max_attempts => 10)
  FROM opened c JOIN guilds g ON g.id = c.guild_id WHERE g.log_channel_id IS NOT NULL;

  -- The post of a strike shows the sanction it has led to.
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', e.strike_id),
    job_key => 'post_case:' || e.strike_id, max_attempts => 10)
  FROM opened c JOIN escalations e ON e.action_id = c.action_id JOIN guilds g ON g.id = c.guild_id
  WHERE g.log_channel_id IS NOT NULL;

  -- Many messages may wait for their turn; nothing else waits behind them (priority 10).
  PERFORM graphile_worker.add_job('tell_target', json_build_object('case_id', c.id),
    job_key => 'tell_target:' || c.id, max_attempts => 10, priority => 10)
  FROM opened c JOIN guilds g ON g.id = c.guild_id
  WHERE g.notifies_targets AND c.kind <> 'ban' AND c.action_id IS NOT NULL;
  RETURN NULL;
END
$$;
