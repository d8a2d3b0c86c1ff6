-- Our ids: a prefix and a UUIDv7 with microseconds, so that their order is the order of their making (decisions: Names).
-- Written out because PostgreSQL has uuidv7() only from 18 on, and the time is the database's.
CREATE FUNCTION new_id(prefix text) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT prefix || '_' || lpad(to_hex(floor(ms)::bigint), 12, '0')
    || '7' || lpad(to_hex(floor((ms - floor(ms)) * 4096)::int), 3, '0')
    || substr(replace(gen_random_uuid()::text, '-', ''), 17)
  FROM (SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms) AS clock
$$;

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "GuildTier" AS ENUM ('free', 'pro', 'operator');

-- CreateEnum
CREATE TYPE "TierSource" AS ENUM ('default', 'entitlement', 'operator');

-- CreateEnum
CREATE TYPE "TokenKind" AS ENUM ('rest', 'mcp');

-- CreateEnum
CREATE TYPE "RevokedReason" AS ENUM ('owner', 'issuer_left', 'capabilities_lost', 'tier_lost', 'operator');

-- CreateEnum
CREATE TYPE "ApprovalState" AS ENUM ('pending', 'approved_call', 'approved_window', 'refused');

-- CreateEnum
CREATE TYPE "ActionState" AS ENUM ('pending', 'running', 'done', 'failed', 'unknown', 'cancelled');

-- CreateEnum
CREATE TYPE "ActorSource" AS ENUM ('token', 'chat', 'dashboard', 'system', 'operator');

-- CreateEnum
CREATE TYPE "AuditOutcome" AS ENUM ('requested', 'performed', 'failed', 'unknown', 'cancelled', 'refused');

-- CreateEnum
CREATE TYPE "CaseKind" AS ENUM ('strike', 'ban', 'mute', 'warning');

-- CreateEnum
CREATE TYPE "StrikeSeverity" AS ENUM ('minor', 'major');

-- CreateEnum
CREATE TYPE "TicketStatus" AS ENUM ('open', 'claimed', 'closed');

-- CreateEnum
CREATE TYPE "DeviceState" AS ENUM ('pending', 'authorized', 'denied', 'redeemed');

-- CreateTable
CREATE TABLE "guilds" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "icon_hash" TEXT,
    "owner_id" TEXT NOT NULL,
    "shard_id" INTEGER NOT NULL DEFAULT 0,
    "mirrored_at" TIMESTAMPTZ(3),
    "left_at" TIMESTAMPTZ(3),
    "tier" "GuildTier" NOT NULL,
    "tier_source" "TierSource" NOT NULL DEFAULT 'default',
    "grants_confirmed_at" TIMESTAMPTZ(3),
    "log_channel_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "guilds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "guild_counters" (
    "guild_id" TEXT NOT NULL,
    "next_case_number" INTEGER NOT NULL DEFAULT 1,
    "next_ticket_number" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "guild_counters_pkey" PRIMARY KEY ("guild_id")
);

-- CreateTable
CREATE TABLE "roles" (
    "guild_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "color" INTEGER NOT NULL DEFAULT 0,
    "permissions" BIGINT NOT NULL,
    "managed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "roles_pkey" PRIMARY KEY ("guild_id","id")
);

-- CreateTable
CREATE TABLE "role_grants" (
    "guild_id" TEXT NOT NULL,
    "role_id" TEXT NOT NULL,
    "capabilities" TEXT[],
    "granted_by" TEXT NOT NULL,
    "granted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "role_grants_pkey" PRIMARY KEY ("guild_id","role_id")
);

-- CreateTable
CREATE TABLE "members" (
    "guild_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "avatar_hash" TEXT,
    "bot" BOOLEAN NOT NULL DEFAULT false,
    "role_ids" TEXT[],
    "joined_at" TIMESTAMPTZ(3),

    CONSTRAINT "members_pkey" PRIMARY KEY ("guild_id","user_id")
);

-- CreateTable
CREATE TABLE "gateway_shards" (
    "shard_id" INTEGER NOT NULL,
    "shard_count" INTEGER NOT NULL,
    "bot_user_id" TEXT NOT NULL,
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_shards_pkey" PRIMARY KEY ("shard_id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "id" TEXT NOT NULL DEFAULT new_id('tok'::text),
    "guild_id" TEXT NOT NULL,
    "issuer_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" "TokenKind" NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "secret_last_four" TEXT NOT NULL,
    "previous_secret_hash" BYTEA,
    "previous_secret_expires_at" TIMESTAMPTZ(3),
    "capabilities" TEXT[],
    "ip_allowlist" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "lifetime_days" INTEGER,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rotated_at" TIMESTAMPTZ(3),
    "rotation_required_at" TIMESTAMPTZ(3),
    "rotation_warning_dismissed_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "capability_lost_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_reason" "RevokedReason",
    "revoked_by" TEXT,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "windows" (
    "id" TEXT NOT NULL DEFAULT new_id('win'::text),
    "token_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "opened_by" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),
    "digest" TEXT,

    CONSTRAINT "windows_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval_requests" (
    "id" TEXT NOT NULL DEFAULT new_id('apr'::text),
    "token_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "target_type" TEXT,
    "target_id" TEXT,
    "input" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "state" "ApprovalState" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "window_id" TEXT,

    CONSTRAINT "approval_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "budgets" (
    "guild_id" TEXT NOT NULL,
    "holder_id" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "balance" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "budgets_pkey" PRIMARY KEY ("guild_id","holder_id","tier")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "token_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "action_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("token_id","key")
);

-- CreateTable
CREATE TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "actions" (
    "id" TEXT NOT NULL DEFAULT new_id('act'::text),
    "guild_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "input" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "target_type" TEXT,
    "target_id" TEXT,
    "state" "ActionState" NOT NULL DEFAULT 'pending',
    "actor_source" "ActorSource" NOT NULL,
    "actor_user_id" TEXT NOT NULL,
    "token_id" TEXT,
    "token_name" TEXT,
    "window_id" TEXT,
    "request_id" TEXT NOT NULL,
    "address" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claim_by" TIMESTAMPTZ(3) NOT NULL,
    "claimed_at" TIMESTAMPTZ(3),
    "lease_expires_at" TIMESTAMPTZ(3),
    "settled_at" TIMESTAMPTZ(3),
    "result" JSONB,
    "error" JSONB,

    CONSTRAINT "actions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit" (
    "id" TEXT NOT NULL DEFAULT new_id('aud'::text),
    "is_read" BOOLEAN NOT NULL DEFAULT false,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "guild_id" TEXT NOT NULL,
    "actor_source" "ActorSource" NOT NULL,
    "actor_user_id" TEXT,
    "token_id" TEXT,
    "token_name" TEXT,
    "operation" TEXT NOT NULL,
    "target_type" TEXT,
    "target_id" TEXT,
    "outcome" "AuditOutcome" NOT NULL,
    "code" TEXT,
    "request_id" TEXT,
    "address" TEXT,
    "digest" TEXT,
    "action_id" TEXT,
    "details" JSONB,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("id","is_read","at")
) PARTITION BY LIST ("is_read");

-- CreateTable
CREATE TABLE "cases" (
    "id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "case_number" INTEGER NOT NULL,
    "kind" "CaseKind" NOT NULL,
    "user_id" TEXT NOT NULL,
    "reason" TEXT,
    "issued_by" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "duration_minutes" INTEGER,
    "expires_at" TIMESTAMPTZ(3),
    "ended_by" TEXT,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,
    "severity" "StrikeSeverity",
    "category" TEXT,
    "player_name" TEXT,
    "in_game_id" TEXT,
    "action_id" TEXT,

    CONSTRAINT "cases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tickets" (
    "id" TEXT NOT NULL DEFAULT new_id('tkt'::text),
    "guild_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "subject" TEXT NOT NULL,
    "status" "TicketStatus" NOT NULL DEFAULT 'open',
    "opened_by" TEXT NOT NULL,
    "channel_id" TEXT,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claimed_by" TEXT,
    "claimed_at" TIMESTAMPTZ(3),
    "closed_by" TEXT,
    "closed_at" TIMESTAMPTZ(3),
    "close_reason" TEXT,
    "transcript" JSONB,

    CONSTRAINT "tickets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "game_servers" (
    "id" TEXT NOT NULL DEFAULT new_id('srv'::text),
    "guild_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "port" INTEGER NOT NULL,
    "password_sealed" BYTEA NOT NULL,
    "allow_patterns" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "deny_patterns" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "checked_at" TIMESTAMPTZ(3),
    "reachable" BOOLEAN,

    CONSTRAINT "game_servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_archives" (
    "id" TEXT NOT NULL DEFAULT new_id('arc'::text),
    "guild_id" TEXT NOT NULL,
    "action_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "messages" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_archives_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device_authorizations" (
    "id" TEXT NOT NULL DEFAULT new_id('dev'::text),
    "device_code_hash" BYTEA NOT NULL,
    "user_code" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "scope" TEXT,
    "address" TEXT NOT NULL,
    "state" "DeviceState" NOT NULL DEFAULT 'pending',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "interval_seconds" INTEGER NOT NULL DEFAULT 5,
    "last_polled_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,
    "guild_id" TEXT,
    "token_id" TEXT,

    CONSTRAINT "device_authorizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "image" TEXT,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "provider" TEXT NOT NULL,
    "provider_account_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("provider","provider_account_id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "token_hash" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "wrong_codes" INTEGER NOT NULL DEFAULT 0,
    "wrong_codes_at" TIMESTAMPTZ(3),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "guilds_owner_id_idx" ON "guilds"("owner_id");

-- CreateIndex
CREATE INDEX "members_user_id_idx" ON "members"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_secret_hash_key" ON "tokens"("secret_hash");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_previous_secret_hash_key" ON "tokens"("previous_secret_hash");

-- CreateIndex
CREATE INDEX "tokens_guild_id_id_idx" ON "tokens"("guild_id", "id");

-- CreateIndex
CREATE INDEX "tokens_issuer_id_idx" ON "tokens"("issuer_id");

-- CreateIndex
CREATE INDEX "windows_token_id_id_idx" ON "windows"("token_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "approval_requests_window_id_key" ON "approval_requests"("window_id");

-- CreateIndex
CREATE INDEX "approval_requests_guild_id_state_id_idx" ON "approval_requests"("guild_id", "state", "id");

-- CreateIndex
CREATE INDEX "approval_requests_token_id_digest_idx" ON "approval_requests"("token_id", "digest");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "actions_guild_id_id_idx" ON "actions"("guild_id", "id");

-- CreateIndex
CREATE INDEX "actions_state_lease_expires_at_idx" ON "actions"("state", "lease_expires_at");

-- CreateIndex
CREATE INDEX "audit_guild_id_id_idx" ON "audit"("guild_id", "id");

-- CreateIndex
CREATE INDEX "audit_action_id_idx" ON "audit"("action_id");

-- CreateIndex
CREATE INDEX "cases_guild_id_kind_id_idx" ON "cases"("guild_id", "kind", "id");

-- CreateIndex
CREATE INDEX "cases_guild_id_user_id_kind_id_idx" ON "cases"("guild_id", "user_id", "kind", "id");

-- CreateIndex
CREATE INDEX "cases_expires_at_idx" ON "cases"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "cases_guild_id_case_number_key" ON "cases"("guild_id", "case_number");

-- CreateIndex
CREATE INDEX "tickets_guild_id_status_id_idx" ON "tickets"("guild_id", "status", "id");

-- CreateIndex
CREATE INDEX "tickets_guild_id_opened_by_idx" ON "tickets"("guild_id", "opened_by");

-- CreateIndex
CREATE UNIQUE INDEX "tickets_guild_id_number_key" ON "tickets"("guild_id", "number");

-- CreateIndex
CREATE INDEX "game_servers_guild_id_id_idx" ON "game_servers"("guild_id", "id");

-- CreateIndex
CREATE INDEX "message_archives_expires_at_idx" ON "message_archives"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "device_authorizations_device_code_hash_key" ON "device_authorizations"("device_code_hash");

-- CreateIndex
CREATE UNIQUE INDEX "device_authorizations_user_code_key" ON "device_authorizations"("user_code");

-- CreateIndex
CREATE INDEX "device_authorizations_expires_at_idx" ON "device_authorizations"("expires_at");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- AddForeignKey
ALTER TABLE "guild_counters" ADD CONSTRAINT "guild_counters_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "roles" ADD CONSTRAINT "roles_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "role_grants" ADD CONSTRAINT "role_grants_guild_id_role_id_fkey" FOREIGN KEY ("guild_id", "role_id") REFERENCES "roles"("guild_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "windows" ADD CONSTRAINT "windows_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "tokens"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "tokens"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval_requests" ADD CONSTRAINT "approval_requests_window_id_fkey" FOREIGN KEY ("window_id") REFERENCES "windows"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "actions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "cases" ADD CONSTRAINT "cases_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "game_servers" ADD CONSTRAINT "game_servers_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_archives" ADD CONSTRAINT "message_archives_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "actions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- ── The audit log: append-only, reads apart and dropped by whole days ────────────────────────────────────────────────

CREATE TABLE "audit_writes" PARTITION OF "audit" FOR VALUES IN (false);
CREATE TABLE "audit_reads" PARTITION OF "audit" FOR VALUES IN (true) PARTITION BY RANGE ("at");
CREATE TABLE "audit_reads_default" PARTITION OF "audit_reads" DEFAULT;

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only: % is refused.', TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON "audit" FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON "audit" FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON "audit_writes" FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON "audit_reads" FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON "audit_reads_default" FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Makes the day partitions of reads from today to p_days_ahead, and drops those older than p_days_kept (decisions: Audit).
CREATE FUNCTION keep_audit_partitions(p_days_ahead int, p_days_kept int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
  day date;
  partition text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bailiff.audit_partitions'));
  FOR day IN SELECT today + n FROM generate_series(0, p_days_ahead) AS n LOOP
    partition := 'audit_reads_' || to_char(day, 'YYYYMMDD');
    IF to_regclass(partition) IS NULL
       AND NOT EXISTS (SELECT FROM audit_reads_default
                       WHERE at >= day::timestamp AT TIME ZONE 'UTC' AND at < (day + 1)::timestamp AT TIME ZONE 'UTC') THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF audit_reads FOR VALUES FROM (%L) TO (%L)',
                     partition, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
      EXECUTE format('CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON %I
                      FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()', partition);
    END IF;
  END LOOP;
  FOR partition IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_reads'::regclass AND c.relname ~ '^audit_reads_\d{8}$'
      AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - p_days_kept
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
  END LOOP;
END
$$;

-- ── Live capabilities ────────────────────────────────────────────────────────────────────────────────────────────────

-- What the owner granted to the member's roles, @everyone (whose id is the guild's) among them; empty for a stranger.
-- The owner's own set is the whole table of capabilities, which the caller knows.
CREATE FUNCTION granted_capabilities(p_guild_id text, p_user_id text) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT capability), '{}')
  FROM members m
  JOIN role_grants r ON r.guild_id = m.guild_id AND (r.role_id = ANY (m.role_ids) OR r.role_id = m.guild_id)
  CROSS JOIN unnest(r.capabilities) AS capability
  WHERE m.guild_id = p_guild_id AND m.user_id = p_user_id
$$;

-- Whether the mirror of a guild can be trusted: compared with Discord since its shard (re)connected, and a heartbeat
-- younger than 60 s (decisions: Capabilities).
CREATE FUNCTION mirror_is_fresh(g guilds) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT g.left_at IS NULL AND g.mirrored_at IS NOT NULL AND EXISTS (
    SELECT FROM gateway_shards s WHERE s.shard_id = g.shard_id AND s.heartbeat_at > now() - interval '60 seconds')
$$;

-- ── Budgets: one function, all or nothing ────────────────────────────────────────────────────────────────────────────

-- Takes one call from the token's and from the issuer's budget of a tier, or nothing from either (spec §8).
-- The token's row is locked before the user's, always, so that two tokens of one user cannot wait for each other. The
-- model this is held against is `spendBoth` in packages/core/src/budgets.ts.
CREATE FUNCTION spend_budgets(
  p_guild_id text, p_token_id text, p_user_id text, p_tier text, p_capacity float8, p_refill_per_minute float8,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql AS $$
DECLARE
  token_row budgets;
  user_row budgets;
  moment timestamptz;
BEGIN
  INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
  VALUES (p_guild_id, p_token_id, p_tier, p_capacity, clock_timestamp()),
         (p_guild_id, p_user_id, p_tier, p_capacity, clock_timestamp())
  ON CONFLICT DO NOTHING;
  SELECT * INTO token_row FROM budgets
  WHERE guild_id = p_guild_id AND holder_id = p_token_id AND tier = p_tier FOR UPDATE;
  SELECT * INTO user_row FROM budgets
  WHERE guild_id = p_guild_id AND holder_id = p_user_id AND tier = p_tier FOR UPDATE;

  moment := clock_timestamp(); -- after the locks: the time spent waiting for them refills too
  token_balance := least(p_capacity, token_row.balance
    + greatest(0, extract(epoch FROM moment - token_row.updated_at)) * p_refill_per_minute / 60);
  user_balance := least(p_capacity, user_row.balance
    + greatest(0, extract(epoch FROM moment - user_row.updated_at)) * p_refill_per_minute / 60);

  IF least(token_balance, user_balance) < 1 - 1e-9 THEN
    refused_by := CASE WHEN token_balance <= user_balance THEN 'token' ELSE 'user' END;
    retry_after_seconds := (1 - least(token_balance, user_balance)) * 60 / p_refill_per_minute;
    RETURN;
  END IF;
  token_balance := greatest(0, token_balance - 1);
  user_balance := greatest(0, user_balance - 1);
  UPDATE budgets SET balance = token_balance, updated_at = greatest(updated_at, moment)
  WHERE guild_id = p_guild_id AND holder_id = p_token_id AND tier = p_tier;
  UPDATE budgets SET balance = user_balance, updated_at = greatest(updated_at, moment)
  WHERE guild_id = p_guild_id AND holder_id = p_user_id AND tier = p_tier;
END
$$;

-- Notes that a token was used, to the minute: a write per call would make its row hot.
CREATE FUNCTION touch_token(p_token_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE tokens SET last_used_at = clock_timestamp()
  WHERE id = p_token_id AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')
$$;

-- A read by a token: its budgets and its audit row in one statement. The row may be lost with the machine within the
-- last moments (synchronous_commit off), which decisions: Audit allows for reads.
CREATE FUNCTION charge_read(
  p_guild_id text, p_token_id text, p_token_name text, p_user_id text, p_capacity float8, p_refill_per_minute float8,
  p_operation text, p_target_type text, p_target_id text, p_request_id text, p_address text, p_digest text,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO refused_by, retry_after_seconds, token_balance, user_balance
  FROM spend_budgets(p_guild_id, p_token_id, p_user_id, 'read', p_capacity, p_refill_per_minute);
  IF refused_by IS NOT NULL THEN
    RETURN;
  END IF;
  PERFORM touch_token(p_token_id);
  INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, token_id, token_name, operation,
                     target_type, target_id, outcome, request_id, address, digest)
  VALUES (true, p_guild_id, 'token', p_user_id, p_token_id, p_token_name, p_operation,
          p_target_type, p_target_id, 'performed', p_request_id, p_address, p_digest);
END
$$;

-- ── Writes: submit, settle, cases ────────────────────────────────────────────────────────────────────────────────────

CREATE FUNCTION tell(p_kind text, p_guild_id text, p_more jsonb) RETURNS void LANGUAGE sql AS $$
  SELECT pg_notify('bailiff', (jsonb_build_object('kind', p_kind, 'guild_id', p_guild_id) || p_more)::text)
$$;

-- The approval request a call without a window leaves (decisions: Approval requests). Asking again for the same call
-- renews the request; a token has at most 50 open ones, the oldest give way.
CREATE FUNCTION request_approval(p jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  approval_id text;
BEGIN
  UPDATE approval_requests
  SET expires_at = now() + interval '1 hour', request_id = p->>'request_id', address = p->>'address'
  WHERE token_id = p->>'token_id' AND digest = p->>'digest' AND state = 'pending' AND expires_at > now()
  RETURNING id INTO approval_id;
  IF approval_id IS NULL THEN
    UPDATE approval_requests SET expires_at = now() WHERE id IN (
      SELECT id FROM approval_requests
      WHERE token_id = p->>'token_id' AND state = 'pending' AND expires_at > now() ORDER BY id DESC OFFSET 49);
    INSERT INTO approval_requests
      (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
    VALUES (p->>'token_id', p->>'guild_id', p->>'operation', p->>'target_type', p->>'target_id', p->'input',
            p->>'digest', p->>'request_id', p->>'address', now() + interval '1 hour')
    RETURNING id INTO approval_id;
  END IF;
  PERFORM tell('approval', p->>'guild_id', jsonb_build_object('id', approval_id));
  RETURN approval_id;
END
$$;

CREATE FUNCTION audit_call(p jsonb, p_outcome "AuditOutcome", p_code text, p_action_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
                     outcome, code, request_id, address, digest, action_id)
  VALUES (p->>'guild_id', (p->>'actor_source')::"ActorSource", p->>'actor_user_id', p->>'token_id', p->>'token_name',
          p->>'operation', p->>'target_type', p->>'target_id', p_outcome, p_code, p->>'request_id', p->>'address',
          p->>'digest', p_action_id);
  PERFORM tell('audit', p->>'guild_id', '{}');
END
$$;

-- Admits a write, in one transaction: re-reads the token, its secret, the guild's tier and the window under locks, spends
-- both budgets, records the action, its audit row and its job; or refuses it and records that (decisions: Request
-- pipeline, steps 11 to 13). Of chat, dashboard and system, which have no token, only the record is left.
--
-- p: guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id, request_id, address,
--    tier, capacity, refill_per_minute, destructive, confirmed, performed_by, claim_seconds,
--    and of a token: token_id, token_name, secret_hash (hex), idempotency_key.
-- Returns { status: admitted, action_id } | { status: replayed, action_id, digest } | { status: refused, code, … }.
CREATE FUNCTION submit_call(p jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
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
    IF token.id IS NULL OR NOT (token.secret_hash = hash
        OR (token.previous_secret_hash = hash AND token.previous_secret_expires_at > clock_timestamp())) THEN
      RETURN '{"status": "refused", "code": "UNAUTHORIZED"}';
    END IF;
    IF token.revoked_at IS NOT NULL
        OR NOT EXISTS (SELECT FROM guilds WHERE id = token.guild_id AND tier <> 'free' FOR SHARE) THEN
      RETURN '{"status": "refused", "code": "TOKEN_REVOKED"}';
    END IF;
    IF token.expires_at <= clock_timestamp() THEN
      RETURN '{"status": "refused", "code": "TOKEN_EXPIRED"}';
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
      RETURN answer || jsonb_build_object('status', 'refused', 'code', 'RATE_LIMITED',
        'refused_by', spent.refused_by, 'retry_after_seconds', spent.retry_after_seconds);
    END IF;
    PERFORM touch_token(token.id);
  END IF;

  INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, state, actor_source, actor_user_id,
                       token_id, token_name, window_id, request_id, address, claim_by, claimed_at, lease_expires_at)
  VALUES (p->>'guild_id', p->>'operation', p->'input', p->>'digest', p->>'target_type', p->>'target_id',
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
    PERFORM graphile_worker.add_job('perform', json_build_object('action_id', new_action_id), max_attempts => 1);
  END IF;
  RETURN answer || jsonb_build_object('status', 'admitted', 'action_id', new_action_id);
END
$$;

-- Ends an action and records how; false when it had ended before, and then nothing is written.
CREATE FUNCTION settle_action(p_action_id text, p_state "ActionState", p_result jsonb, p_error jsonb) RETURNS boolean
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
  PERFORM audit_call(to_jsonb(settled),
    CASE p_state WHEN 'done' THEN 'performed' ELSE p_state::text END::"AuditOutcome", p_error->>'code', settled.id);
  PERFORM tell('action', settled.guild_id,
    jsonb_build_object('id', settled.id, 'request_id', settled.request_id, 'state', settled.state));
  RETURN true;
END
$$;

-- Opens a numbered case. The number is drawn in the caller's transaction, under the lock of the guild's counter: no
-- gaps, no repetitions (decisions: Operations).
CREATE FUNCTION open_case(
  p_guild_id text, p_kind "CaseKind", p_user_id text, p_reason text, p_issued_by text, p_duration_minutes int,
  p_action_id text, p_severity "StrikeSeverity" DEFAULT NULL, p_category text DEFAULT NULL,
  p_player_name text DEFAULT NULL, p_in_game_id text DEFAULT NULL
) RETURNS cases LANGUAGE plpgsql AS $$
DECLARE
  number int;
  opened cases;
BEGIN
  INSERT INTO guild_counters AS counter (guild_id, next_case_number) VALUES (p_guild_id, 2)
  ON CONFLICT (guild_id) DO UPDATE SET next_case_number = counter.next_case_number + 1
  RETURNING counter.next_case_number - 1 INTO number;
  INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes, expires_at,
                     severity, category, player_name, in_game_id, action_id)
  VALUES (new_id(CASE p_kind WHEN 'strike' THEN 'str' WHEN 'ban' THEN 'ban' WHEN 'mute' THEN 'mut' ELSE 'wrn' END),
          p_guild_id, number, p_kind, p_user_id, p_reason, p_issued_by, now(), p_duration_minutes,
          now() + make_interval(mins => p_duration_minutes), p_severity, p_category, p_player_name, p_in_game_id,
          p_action_id)
  RETURNING * INTO opened;
  RETURN opened;
END
$$;
