-- ── Wrong device codes: when each was entered, so that any ten minutes can be judged ──────────────────────────────────

ALTER TABLE "sessions" DROP COLUMN "wrong_codes", DROP COLUMN "wrong_codes_at";

ALTER TABLE "sessions" ADD COLUMN "wrong_codes_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];

ALTER TABLE "users" ADD COLUMN "wrong_codes_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[];

-- ── Game servers ───────────────────────────────────────────────────────────────────────────────────────────────────

-- AlterTable
ALTER TABLE "game_servers" ADD COLUMN     "problem" TEXT;

-- CreateTable
CREATE TABLE "sealing_keys" (
    "id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sealing_keys_pkey" PRIMARY KEY ("id")
);

-- ── Limits of addresses: counted together, and not worth a flush to disk ─────────────────────────────────────────────

-- After a crash of the database the windows begin anew, which costs nobody anything; budgets are another table.
ALTER TABLE "rate_limits" SET UNLOGGED;

-- ── The audit log pages by guild and id, and only its writes belong to actions ───────────────────────────────────────

ALTER TABLE "audit" DROP CONSTRAINT "audit_pkey";
DROP INDEX "audit_guild_id_id_idx";
DROP INDEX "audit_action_id_idx";
ALTER TABLE "audit" ADD CONSTRAINT "audit_pkey" PRIMARY KEY ("guild_id", "id", "is_read", "at");
CREATE INDEX "audit_writes_action_id_idx" ON "audit_writes" ("action_id");

-- The same ids as before: called for every row, and this form takes a fraction of the time.
CREATE OR REPLACE FUNCTION new_id(prefix text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  micros bigint := extract(epoch FROM clock_timestamp()) * 1000000;
BEGIN
  RETURN prefix || '_' || lpad(to_hex(micros / 1000), 12, '0')
    || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17);
END
$$;

-- ── Live capabilities: a view and a table function, which the planner folds into the query that asks ─────────────────

-- Guilds, and whether the mirror of each can be trusted: compared with Discord since its shard (re)connected, and a
-- heartbeat younger than 60 s (decisions: Capabilities).
CREATE VIEW live_guilds AS
  SELECT g.*, g.left_at IS NULL AND g.mirrored_at IS NOT NULL
    -- One in the future is from before the clock went back, and says nothing.
    AND coalesce(s.heartbeat_at BETWEEN now() - interval '60 seconds' AND now() + interval '60 seconds', false)
    AS mirror_fresh
  FROM guilds g LEFT JOIN gateway_shards s ON s.shard_id = g.shard_id;

DROP FUNCTION mirror_is_fresh(guilds);
DROP FUNCTION granted_capabilities(text, text);

-- What the owner granted to the member's roles, @everyone (whose id is the guild's) among them; empty for a stranger.
-- The owner's own set is the whole table of capabilities, which the caller knows.
CREATE FUNCTION granted_to(p_guild_id text, p_user_id text) RETURNS TABLE (capabilities text[]) LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(capability), '{}')
  FROM members m
  JOIN role_grants r ON r.guild_id = m.guild_id AND (r.role_id = ANY (m.role_ids) OR r.role_id = m.guild_id)
  CROSS JOIN unnest(r.capabilities) AS capability
  WHERE m.guild_id = p_guild_id AND m.user_id = p_user_id
$$;

-- ── Budgets and reads ────────────────────────────────────────────────────────────────────────────────────────────────

-- As before, in two statements instead of five.
CREATE OR REPLACE FUNCTION spend_budgets(
  p_guild_id text, p_token_id text, p_user_id text, p_tier text, p_capacity float8, p_refill_per_minute float8,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql
-- A connection keeps its plan, and one made while the table was small would read all of it for ever after.
SET enable_seqscan = off AS $$
DECLARE
  token_at timestamptz;
  user_at timestamptz;
  moment timestamptz;
BEGIN
  LOOP
    -- Locked in this order, token first, so that two tokens of one user cannot wait for each other.
    SELECT t.balance, t.updated_at, u.balance, u.updated_at INTO token_balance, token_at, user_balance, user_at
    FROM budgets t, budgets u
    WHERE t.guild_id = p_guild_id AND t.holder_id = p_token_id AND t.tier = p_tier
      AND u.guild_id = p_guild_id AND u.holder_id = p_user_id AND u.tier = p_tier
    FOR UPDATE OF t, u;
    EXIT WHEN FOUND;
    INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
    VALUES (p_guild_id, p_token_id, p_tier, p_capacity, clock_timestamp()),
           (p_guild_id, p_user_id, p_tier, p_capacity, clock_timestamp())
    ON CONFLICT DO NOTHING;
  END LOOP;

  moment := clock_timestamp(); -- after the locks: the time spent waiting for them refills too
  token_balance := least(p_capacity, token_balance
    + greatest(0, extract(epoch FROM moment - token_at)) * p_refill_per_minute / 60);
  user_balance := least(p_capacity, user_balance
    + greatest(0, extract(epoch FROM moment - user_at)) * p_refill_per_minute / 60);

  IF greatest(token_at, user_at) > moment THEN
    -- The clock went back: from now on they refill again, instead of not until it is back where it was (hazards H10).
    UPDATE budgets SET updated_at = least(updated_at, moment)
    WHERE guild_id = p_guild_id AND holder_id IN (p_token_id, p_user_id) AND tier = p_tier;
  END IF;

  IF least(token_balance, user_balance) < 1 - 1e-9 THEN
    refused_by := CASE WHEN token_balance <= user_balance THEN 'token' ELSE 'user' END;
    retry_after_seconds := (1 - least(token_balance, user_balance)) * 60 / p_refill_per_minute;
    RETURN;
  END IF;
  token_balance := greatest(0, token_balance - 1);
  user_balance := greatest(0, user_balance - 1);
  UPDATE budgets
  SET balance = CASE holder_id WHEN p_token_id THEN token_balance ELSE user_balance END,
      updated_at = moment
  WHERE guild_id = p_guild_id AND holder_id IN (p_token_id, p_user_id) AND tier = p_tier;
END
$$;

-- As before; p_touch says that the token's last use is to be noted, which the admission knows.
DROP FUNCTION charge_read(text, text, text, text, float8, float8, text, text, text, text, text, text);
CREATE FUNCTION charge_read(
  p_guild_id text, p_token_id text, p_token_name text, p_user_id text, p_capacity float8, p_refill_per_minute float8,
  p_touch boolean, p_operation text, p_target_type text, p_target_id text, p_request_id text, p_address text,
  p_digest text,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO refused_by, retry_after_seconds, token_balance, user_balance
  FROM spend_budgets(p_guild_id, p_token_id, p_user_id, 'read', p_capacity, p_refill_per_minute);
  IF refused_by IS NOT NULL THEN
    RETURN;
  END IF;
  IF p_touch THEN
    PERFORM touch_token(p_token_id);
  END IF;
  INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, token_id, token_name, operation,
                     target_type, target_id, outcome, request_id, address, digest)
  VALUES (true, p_guild_id, 'token', p_user_id, p_token_id, p_token_name, p_operation,
          p_target_type, p_target_id, 'performed', p_request_id, p_address, p_digest);
END
$$;

-- ── Submission: under an id the caller knows beforehand, and never late ──────────────────────────────────────────────

-- Admits a write, in one transaction: re-reads the token, its secret, the guild's tier, what the issuer may do and the
-- window under locks, spends
-- both budgets, records the action, its audit row and its job; or refuses it and records that (decisions: Request
-- pipeline, steps 11 to 13). Of chat, dashboard and system, which have no token, only the record is left.
--
-- p: guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id, request_id, address,
--    capability (or null), tier, capacity, refill_per_minute, destructive, confirmed, performed_by, claim_seconds,
--    queue (of calls that are performed one at a time, or null), and of a token: token_id, token_name, secret_hash (hex),
--    action_id and admitted_at (from its admission), arrives_within_seconds (of that), idempotency_key.
-- Returns { status: admitted, action_id } | { status: replayed, action_id, digest } | { status: refused, code, … }.
CREATE OR REPLACE FUNCTION submit_call(p jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  token tokens;
  admitting windows;
  spent record;
  kept idempotency_keys;
  new_action_id text;
  answer jsonb := '{}';
  by_bot boolean := p->>'performed_by' = 'bot';
  hash bytea;
BEGIN
  IF p->>'token_id' IS NOT NULL THEN
    hash := decode(p->>'secret_hash', 'hex');
    SELECT * INTO token FROM tokens WHERE id = p->>'token_id' FOR UPDATE;
    IF (token.secret_hash = hash
        OR (token.previous_secret_hash = hash AND token.previous_secret_expires_at > clock_timestamp())) IS NOT TRUE THEN
      RETURN '{"status": "refused", "code": "UNAUTHORIZED"}';
    END IF;
    IF token.revoked_at IS NOT NULL
        OR NOT EXISTS (SELECT FROM guilds WHERE id = token.guild_id AND tier <> 'free' FOR SHARE) THEN
      RETURN '{"status": "refused", "code": "TOKEN_REVOKED"}';
    END IF;
    IF token.expires_at <= clock_timestamp() THEN
      RETURN '{"status": "refused", "code": "TOKEN_EXPIRED"}';
    END IF;
    -- This statement was held up (a database that stood still, a lock): its caller was told that nothing was done.
    IF clock_timestamp() > (p->>'admitted_at')::timestamptz
        + make_interval(secs => (p->>'arrives_within_seconds')::float8) THEN
      RETURN '{"status": "refused", "code": "UPSTREAM_UNAVAILABLE"}';
    END IF;

    IF p->>'capability' IS NOT NULL AND NOT (p->>'capability' = ANY (token.capabilities)
        AND (EXISTS (SELECT FROM guilds WHERE id = token.guild_id AND owner_id = token.issuer_id)
          OR p->>'capability' = ANY (ARRAY(SELECT unnest(capabilities) FROM granted_to(token.guild_id, token.issuer_id))))) THEN
      PERFORM audit_call(p, 'refused', 'CAPABILITY_DENIED', NULL);
      RETURN jsonb_build_object('status', 'refused', 'code', 'CAPABILITY_DENIED', 'missing', p->>'capability');
    END IF;

    IF p->>'idempotency_key' IS NOT NULL THEN
      DELETE FROM idempotency_keys
      WHERE token_id = token.id AND key = p->>'idempotency_key' AND created_at <= now() - interval '24 hours';
      SELECT * INTO kept FROM idempotency_keys WHERE token_id = token.id AND key = p->>'idempotency_key';
      IF kept.action_id IS NOT NULL THEN
        RETURN jsonb_build_object('status', 'replayed', 'action_id', kept.action_id, 'digest', kept.digest);
      END IF;
    END IF;

    IF (p->>'destructive')::boolean THEN
      SELECT * INTO admitting FROM windows
      WHERE token_id = token.id AND guild_id = p->>'guild_id' AND closed_at IS NULL AND expires_at > clock_timestamp()
        -- After the database's clock went back, a window of the future has not begun.
        AND opened_at <= clock_timestamp() + interval '1 second'
        AND (digest IS NULL OR digest = p->>'digest')
      ORDER BY digest NULLS LAST, id DESC LIMIT 1 FOR UPDATE;
      IF admitting.id IS NULL THEN
        PERFORM audit_call(p, 'refused', 'RE_AUTH_REQUIRED', NULL);
        RETURN jsonb_build_object('status', 'refused', 'code', 'RE_AUTH_REQUIRED', 'approval_id', request_approval(p));
      END IF;
      IF NOT (p->>'confirmed')::boolean THEN
        PERFORM audit_call(p, 'refused', 'INVALID_CONFIRMATION', NULL);
        RETURN '{"status": "refused", "code": "INVALID_CONFIRMATION"}';
      END IF;
    END IF;

    SELECT * INTO spent FROM spend_budgets(p->>'guild_id', token.id, token.issuer_id, p->>'tier',
      (p->>'capacity')::float8, (p->>'refill_per_minute')::float8);
    answer := jsonb_build_object('token_balance', spent.token_balance, 'user_balance', spent.user_balance);
    IF spent.refused_by IS NOT NULL THEN
      PERFORM set_config('synchronous_commit', 'off', true); -- nothing was written that could be missed
      RETURN answer || jsonb_build_object('status', 'refused', 'code', 'RATE_LIMITED',
        'refused_by', spent.refused_by, 'retry_after_seconds', spent.retry_after_seconds);
    END IF;
    PERFORM touch_token(token.id);
  END IF;

  INSERT INTO actions (id, guild_id, operation, input, digest, target_type, target_id, state, actor_source, actor_user_id,
                       token_id, token_name, window_id, request_id, address, claim_by, claimed_at, lease_expires_at)
  VALUES (coalesce(p->>'action_id', new_id('act')), p->>'guild_id', p->>'operation', p->'input', p->>'digest', p->>'target_type', p->>'target_id',
          CASE WHEN by_bot THEN 'pending' ELSE 'running' END::"ActionState",
          (p->>'actor_source')::"ActorSource", p->>'actor_user_id', p->>'token_id', p->>'token_name', admitting.id,
          p->>'request_id', p->>'address', clock_timestamp() + make_interval(secs => (p->>'claim_seconds')::float8),
          CASE WHEN by_bot THEN NULL ELSE clock_timestamp() END,
          CASE WHEN by_bot THEN NULL ELSE clock_timestamp() END)
  RETURNING id INTO new_action_id;
  PERFORM audit_call(p, 'requested', NULL, new_action_id);
  IF p->>'idempotency_key' IS NOT NULL THEN
    INSERT INTO idempotency_keys (token_id, key, digest, action_id)
    VALUES (p->>'token_id', p->>'idempotency_key', p->>'digest', new_action_id);
  END IF;
  IF admitting.digest IS NOT NULL THEN -- this call only
    UPDATE windows SET closed_at = clock_timestamp() WHERE id = admitting.id;
  END IF;
  IF by_bot THEN
    PERFORM graphile_worker.add_job('perform', json_build_object('action_id', new_action_id),
      queue_name => p->>'queue', max_attempts => 1);
  END IF;
  RETURN answer || jsonb_build_object('status', 'admitted', 'action_id', new_action_id);
END
$$;

-- ── Settling ─────────────────────────────────────────────────────────────────────────────────────────────────────────

-- Ends an action and records how; false when it had ended before, and then nothing is written.
CREATE OR REPLACE FUNCTION settle_action(p_action_id text, p_state "ActionState", p_result jsonb, p_error jsonb) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  settled actions;
BEGIN
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
  -- What certainly did not happen may be tried again with the same key: it has nothing to be replayed.
  IF p_error->'details'->>'outcome' = 'not_performed' OR p_error->>'code' = 'RE_AUTH_REQUIRED' THEN
    DELETE FROM idempotency_keys WHERE action_id = settled.id;
  END IF;
  PERFORM audit_call(to_jsonb(settled),
    CASE p_state WHEN 'done' THEN 'performed' ELSE p_state::text END::"AuditOutcome", p_error->>'code', settled.id);
  PERFORM tell('action', settled.guild_id,
    jsonb_build_object('id', settled.id, 'request_id', settled.request_id, 'state', settled.state));
  RETURN true;
END
$$;

-- ── Settling: COMMIT may follow without waiting ──────────────────────────────────────────────────────────────────────

-- Ends an action as settle_action does, or fails, and the transaction with it: for callers that send COMMIT behind.
CREATE FUNCTION settle_or_fail(p_action_id text, p_state "ActionState", p_result jsonb, p_error jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT settle_action(p_action_id, p_state, p_result, p_error) THEN
    RAISE EXCEPTION 'Action % had ended before.', p_action_id USING ERRCODE = 'BF001';
  END IF;
END
$$;

-- ── Rows that are written with every call keep room for their next version ───────────────────────────────────────────

ALTER TABLE "budgets" SET (fillfactor = 50);
ALTER TABLE "rate_limits" SET (fillfactor = 50);

CREATE INDEX "idempotency_keys_action_id_idx" ON "idempotency_keys" ("action_id");
