-- Settles what was running at the moment of a backup as unknown, so that it is only looked at: a long action would go on
-- from there, although what it does may have been undone since. For operators, before a restored database is used.
--
-- after: functions/settle_action
CREATE OR REPLACE FUNCTION settle_running_as_unknown() RETURNS bigint LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT count(settle_action(id, 'unknown', NULL, jsonb_build_object(
    'code', 'UPSTREAM_UNAVAILABLE', 'status', 502,
    'message', format('It is not known yet whether this happened. GET /actions/%s tells how it ended.', id),
    'details', jsonb_build_object('upstream', 'discord', 'outcome', 'unknown', 'action_id', id))))
  FROM actions WHERE state = 'running'
$$;
