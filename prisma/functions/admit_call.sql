-- Admits a write, in one transaction (decisions: Request pipeline, steps 11 to 13). Under locks it reads the token, the
-- guild's tier, the issuer's capabilities and the window again. Then it spends both budgets and records the action, its
-- audit row and its job; or it refuses the call and records that. Chat, dashboard and system have no token: their calls
-- are recorded only.
--
-- p is the call in the format of submit_call, which has checked who calls. The answer is that of submit_call. A check
-- that lacks what it needs refuses the call: IS NOT TRUE also holds for null.
CREATE OR REPLACE FUNCTION admit_call(p jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  token tokens;
  admitting windows;
  spent record;
  keys text[];
  kept idempotency_keys;
  -- Whose key it is: the token's or, in the dashboard, the person's.
  key_of text := coalesce(p->>'token_id', p->>'actor_user_id');
  new_action_id text;
  answer jsonb := '{}';
  by_bot boolean := p->>'performed_by' = 'bot';
BEGIN
  IF p->>'actor_source' = 'token' THEN
    SELECT * INTO token FROM tokens WHERE id = p->>'token_id' FOR UPDATE;
    -- In the order of TOKEN_CHECKS (packages/engine/src/calls/authorize.ts); a test compares the two.
    IF token.revoked_at IS NOT NULL THEN
      RETURN '{"status": "refused", "code": "TOKEN_REVOKED"}';
    END IF;
    IF token.expires_at <= clock_timestamp() THEN
      RETURN '{"status": "refused", "code": "TOKEN_EXPIRED"}';
    END IF;
    IF NOT EXISTS (SELECT FROM guilds WHERE id = token.guild_id AND tier <> 'free' FOR SHARE) THEN
      RETURN '{"status": "refused", "code": "TOKEN_REVOKED"}';
    END IF;
    -- This statement was delayed, by a lock or a database that did not respond. The caller has already got the answer
    -- that nothing was done.
    IF (clock_timestamp() <= (p->>'admitted_at')::timestamptz
        + make_interval(secs => (p->>'arrives_within_seconds')::float8)) IS NOT TRUE THEN
      RETURN '{"status": "refused", "code": "UPSTREAM_UNAVAILABLE"}';
    END IF;

    IF (p->'capability' = 'null' OR (p->>'capability' = ANY (token.capabilities)
        AND (EXISTS (SELECT FROM guilds WHERE id = token.guild_id AND owner_id = token.issuer_id)
          OR p->>'capability' = ANY (ARRAY(
            SELECT unnest(capabilities) FROM granted_to(token.guild_id, token.issuer_id)))))) IS NOT TRUE THEN
      PERFORM audit_refusal(p, 'CAPABILITY_DENIED');
      RETURN jsonb_build_object('status', 'refused', 'code', 'CAPABILITY_DENIED', 'missing', p->>'capability');
    END IF;
  END IF;

  IF p->>'idempotency_key' IS NOT NULL THEN
    IF token.id IS NULL THEN -- the calls of a token wait for its row
      PERFORM pg_advisory_xact_lock(hashtextextended('idempotency:' || key_of || '/' || (p->>'idempotency_key'), 0));
    END IF;
    -- forget_person leaves a signature in place of a key that names the person.
    keys := ARRAY[p->>'idempotency_key', signature_of('idempotency key ' || (p->>'idempotency_key'))];
    DELETE FROM idempotency_keys
    WHERE token_id = key_of AND key = ANY (keys) AND created_at <= now() - interval '24 hours';
    SELECT * INTO kept FROM idempotency_keys WHERE token_id = key_of AND key = ANY (keys);
    IF kept.action_id IS NOT NULL THEN
      RETURN jsonb_build_object('status', 'replayed', 'action_id', kept.action_id, 'digest', kept.digest);
    END IF;
  END IF;

  IF token.id IS NOT NULL THEN
    -- Not before the key was looked up: what was done has its answer, whatever the guild has denied since.
    IF p->>'denied_because' IS NOT NULL THEN
      PERFORM audit_refusal(p, 'FORBIDDEN');
      RETURN jsonb_build_object('status', 'refused', 'code', 'FORBIDDEN', 'reason', p->>'denied_because');
    END IF;
    IF (p->>'destructive')::boolean IS NOT FALSE THEN
      SELECT * INTO admitting FROM windows w
      WHERE token_id = token.id AND guild_id = p->>'guild_id' AND window_admits(w, p->>'digest')
      ORDER BY digest NULLS LAST, id DESC LIMIT 1 FOR UPDATE;
      -- window_is_open knows when this statement began; the window may have expired while it waited for a lock.
      IF admitting.id IS NULL OR admitting.expires_at <= clock_timestamp() THEN
        PERFORM audit_refusal(p, 'RE_AUTH_REQUIRED');
        RETURN jsonb_build_object('status', 'refused', 'code', 'RE_AUTH_REQUIRED') || ask_approval(p);
      END IF;
      IF (p->>'confirmed')::boolean IS NOT TRUE THEN
        PERFORM audit_refusal(p, 'INVALID_CONFIRMATION');
        RETURN '{"status": "refused", "code": "INVALID_CONFIRMATION"}';
      END IF;
    END IF;

    SELECT * INTO spent FROM spend_budgets(p->>'guild_id', token.id, token.issuer_id, p->>'tier',
      (p->>'capacity')::float8, (p->>'refill_per_minute')::float8);
    answer := jsonb_build_object('token_balance', spent.token_balance, 'user_balance', spent.user_balance);
    IF spent.refused_by IS NOT NULL THEN
      IF (p->>'destructive')::boolean IS NOT FALSE THEN
        PERFORM audit_refusal(p, 'RATE_LIMITED');
      ELSE
        PERFORM set_config('synchronous_commit', 'off', true); -- nothing important was written
      END IF;
      RETURN answer || jsonb_build_object('status', 'refused', 'code', 'RATE_LIMITED',
        'refused_by', spent.refused_by, 'retry_after_seconds', spent.retry_after_seconds);
    END IF;
    PERFORM touch_token(token.id);
  END IF;

  PERFORM act(p->>'actor_source', p->>'actor_user_id', p->>'guild_id', false);
  INSERT INTO actions (id, guild_id, operation, input, digest, target_type, target_id,
                       state, actor_source, actor_user_id, token_id, token_name, window_id,
                       request_id, address, claim_by, claimed_at, lease_expires_at)
  VALUES (coalesce(p->>'action_id', new_id('act')),
          p->>'guild_id', p->>'operation', p->'input', p->>'digest', p->>'target_type', p->>'target_id',
          CASE WHEN by_bot THEN 'pending' ELSE 'running' END::"ActionState",
          (p->>'actor_source')::"ActorSource", p->>'actor_user_id', p->>'token_id', p->>'token_name', admitting.id,
          p->>'request_id', p->>'address', clock_timestamp() + make_interval(secs => (p->>'claim_seconds')::float8),
          CASE WHEN by_bot THEN NULL ELSE clock_timestamp() END,
          CASE WHEN by_bot THEN NULL ELSE clock_timestamp() END)
  RETURNING id INTO new_action_id;
  PERFORM audit_call(p, 'requested', NULL, new_action_id);
  IF p->>'idempotency_key' IS NOT NULL THEN
    INSERT INTO idempotency_keys (token_id, key, digest, action_id)
    VALUES (key_of, p->>'idempotency_key', p->>'digest', new_action_id);
  END IF;
  IF admitting.digest IS NOT NULL THEN -- the window was opened for this call only
    -- The time of the action itself says to settle_action that this call closed it, and nobody since.
    UPDATE windows SET closed_at = now() WHERE id = admitting.id;
  END IF;
  IF admitting.id IS NOT NULL THEN -- nobody needs to decide about this call any more
    UPDATE approval_requests
    SET action_id = new_action_id,
      state = CASE WHEN admitting.digest IS NULL THEN 'approved_window' ELSE 'approved_call' END::"ApprovalState",
      decided_by = admitting.opened_by, decided_at = coalesce(decided_at, clock_timestamp())
    WHERE token_id = token.id AND digest = p->>'digest' AND action_id IS NULL
      AND (window_id = admitting.id OR (admitting.digest IS NULL AND refusal_holds(state, decided_at))
        OR (state = 'pending' AND expires_at > clock_timestamp()));
  END IF;
  IF by_bot THEN
    PERFORM offer_action(new_action_id, p->>'queue');
  END IF;
  RETURN answer || jsonb_build_object('status', 'admitted', 'action_id', new_action_id);
END
$$;
