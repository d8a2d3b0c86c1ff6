-- Ends an action and records its outcome. Returns false and writes nothing if it had already ended.
--
-- The web process can cancel what nobody has claimed, and end what it admitted in this same transaction; in a session
-- only of somebody who has a say in the guild. stop_action changes actions of earlier transactions, and then they look as
-- if this one had admitted them. Who asked is in their stopped_by, and with that the web process ends none.
CREATE OR REPLACE FUNCTION settle_action(p_action_id text, p_state "ActionState", p_result jsonb, p_error jsonb)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  not_performed boolean := coalesce(p_error->'details'->>'outcome' = 'not_performed', false);
  settled actions;
  told jsonb;
  answer jsonb;
BEGIN
  IF p_state <> 'cancelled' AND is_web(session_user) AND NOT EXISTS (
      SELECT FROM actions
      WHERE id = p_action_id AND xmin = pg_current_xact_id()::xid AND stopped_by IS NULL
        AND (actor_source <> 'dashboard' OR owns_or_moderates(guild_id, actor_user_id))) THEN
    RAISE EXCEPTION 'Only the bot ends an action of an earlier transaction, or of who may do nothing in the guild.'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF not_performed THEN -- locks are taken in the order of admit_call and end_windows: token, window, action
    PERFORM FROM actions a
    JOIN windows w ON w.id = a.window_id AND w.digest IS NOT NULL
    JOIN tokens t ON t.id = w.token_id
    WHERE a.id = p_action_id FOR UPDATE OF t, w;
  END IF;
  UPDATE actions
  SET state = p_state, result = p_result, error = p_error, settled_at = clock_timestamp(), lease_expires_at = NULL
  WHERE id = p_action_id
    AND CASE p_state WHEN 'cancelled' THEN state = 'pending'
                     WHEN 'unknown' THEN state = 'running'
                     ELSE state IN ('running', 'unknown') END
  RETURNING * INTO settled;
  IF settled.id IS NULL THEN
    RETURN false;
  END IF;
  -- An action that certainly did not happen may be tried again with the same key, because there is no result to replay.
  IF not_performed OR p_error->>'code' = 'RE_AUTH_REQUIRED' THEN
    DELETE FROM idempotency_keys WHERE action_id = settled.id;
  END IF;
  -- A window for this call only admits it again, unless somebody ended it meanwhile (cancel_in_windows).
  IF not_performed THEN
    UPDATE windows w SET closed_at = NULL
    FROM tokens t
    WHERE w.id = settled.window_id AND w.digest IS NOT NULL AND w.closed_at = settled.created_at
      AND w.expires_at > clock_timestamp() AND t.id = w.token_id AND t.revoked_at IS NULL;
    IF FOUND THEN
      UPDATE approval_requests SET action_id = NULL WHERE window_id = settled.window_id;
    END IF;
    -- Another request for this call, which admit_call decided by it, waits again, unless one was made since.
    UPDATE approval_requests r
    SET action_id = NULL, state = 'pending', decided_by = NULL, decided_at = NULL,
      expires_at = CASE WHEN EXISTS (
          SELECT FROM approval_requests other
          WHERE other.token_id = r.token_id AND other.digest = r.digest AND other.state = 'pending'
            AND other.expires_at > now())
        THEN least(r.expires_at, now()) ELSE r.expires_at END
    FROM tokens t
    WHERE t.id = settled.token_id AND t.revoked_at IS NULL AND r.token_id = t.id AND r.digest = settled.digest
      AND r.action_id = settled.id AND r.window_id IS NULL AND r.state = 'approved_call';
  END IF;
  PERFORM audit_call(to_jsonb(settled),
    CASE p_state WHEN 'done' THEN 'performed' ELSE p_state::text END::"AuditOutcome", p_error->>'code', settled.id);
  -- What opens no case is shown in the log channel too, once it has happened.
  IF p_state = 'done' AND settled.operation IN ('messages.purge', 'servers.rcon', 'servers.sanction', 'tickets.open', 'tickets.close', 'tickets.reopen',
      'channels.slowmode', 'channels.lock', 'channels.unlock', 'channels.lockdown', 'channels.reopen', 'roles.give', 'roles.end',
      'bans.many', 'bans.undo', 'mutes.many', 'mutes.undo') THEN
    PERFORM graphile_worker.add_job('post_action',
      json_build_object('guild_id', settled.guild_id, 'action_id', settled.id),
      job_key => 'post_action:' || settled.id, max_attempts => 10)
    FROM guilds g WHERE g.id = settled.guild_id AND g.log_channel_id IS NOT NULL;
  END IF;
  -- With the answer, its caller need not read the action. PostgreSQL notifies of less than 8,000 bytes.
  told := jsonb_build_object('id', settled.id, 'request_id', settled.request_id, 'state', settled.state);
  answer := jsonb_build_object('answer', jsonb_build_object('result', settled.result, 'error', settled.error));
  PERFORM tell('action', settled.guild_id,
    CASE WHEN octet_length(told::text) + octet_length(answer::text) < 7500 THEN told || answer ELSE told END);
  RETURN true;
END
$$;
