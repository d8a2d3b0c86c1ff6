-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "EscalationKind" AS ENUM ('mute', 'ban');

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
CREATE TYPE "LogChannelProblem" AS ENUM ('unknown_channel', 'missing_permission', 'refused');

-- CreateEnum
CREATE TYPE "TargetNoticeState" AS ENUM ('sending', 'told', 'closed', 'absent', 'not_sent', 'unknown', 'withdrawn');

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
    "entitlement_id" TEXT,
    "grants_confirmed_at" TIMESTAMPTZ(3),
    "log_channel_id" TEXT,
    "log_channel_problem" "LogChannelProblem",
    "language" TEXT NOT NULL DEFAULT 'en',
    "notifies_targets" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "guilds_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "escalation_policies" (
    "guild_id" TEXT NOT NULL,
    "minor_points" INTEGER NOT NULL DEFAULT 1,
    "major_points" INTEGER NOT NULL DEFAULT 3,
    "decay_days" INTEGER,

    CONSTRAINT "escalation_policies_pkey" PRIMARY KEY ("guild_id")
);

-- CreateTable
CREATE TABLE "escalation_steps" (
    "guild_id" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "sanction" "EscalationKind" NOT NULL,
    "duration_minutes" INTEGER,

    CONSTRAINT "escalation_steps_pkey" PRIMARY KEY ("guild_id","points")
);

-- CreateTable
CREATE TABLE "escalations" (
    "strike_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "sanction" "EscalationKind" NOT NULL,
    "duration_minutes" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "action_id" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "escalations_pkey" PRIMARY KEY ("strike_id")
);

-- CreateTable
CREATE TABLE "reason_presets" (
    "id" TEXT NOT NULL DEFAULT new_id('pre'::text),
    "guild_id" TEXT NOT NULL,
    "kind" "CaseKind" NOT NULL,
    "name" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "severity" "StrikeSeverity",
    "duration_minutes" INTEGER,

    CONSTRAINT "reason_presets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notes" (
    "id" TEXT NOT NULL DEFAULT new_id('not'::text),
    "guild_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "written_by" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "notes_pkey" PRIMARY KEY ("id")
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
    "granted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

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
CREATE TABLE "known_names" (
    "user_id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "learned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "known_names_pkey" PRIMARY KEY ("user_id")
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
CREATE TABLE "gateway_turns" (
    "bucket" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_turns_pkey" PRIMARY KEY ("bucket")
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "rotated_at" TIMESTAMPTZ(3),
    "rotation_required_at" TIMESTAMPTZ(3),
    "rotation_warning_dismissed_at" TIMESTAMPTZ(3),
    "rotation_noticed_at" TIMESTAMPTZ(3),
    "rotation_notice_attempts" INTEGER NOT NULL DEFAULT 0,
    "last_used_at" TIMESTAMPTZ(3),
    "capability_lost_at" TIMESTAMPTZ(3),
    "capability_lost_seen_at" TIMESTAMPTZ(3),
    "issuer_checked_at" TIMESTAMPTZ(3),
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
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("token_id","key")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_limits" (
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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

    CONSTRAINT "audit_pkey" PRIMARY KEY ("guild_id","id","is_read","at")
) PARTITION BY LIST ("is_read");

-- CreateTable
CREATE TABLE "activity_days" (
    "guild_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "counts" JSONB NOT NULL,

    CONSTRAINT "activity_days_pkey" PRIMARY KEY ("guild_id","day")
);

-- CreateTable
CREATE TABLE "cases" (
    "id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "case_number" INTEGER NOT NULL,
    "kind" "CaseKind" NOT NULL,
    "user_id" TEXT NOT NULL,
    "reason" TEXT,
    "issued_by" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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
    "end_action_id" TEXT,

    CONSTRAINT "cases_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "case_posts" (
    "case_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "message_id" TEXT,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "busy_until" TIMESTAMPTZ(3),

    CONSTRAINT "case_posts_pkey" PRIMARY KEY ("case_id")
);

-- CreateTable
CREATE TABLE "target_notices" (
    "action_id" TEXT NOT NULL,
    "state" "TargetNoticeState" NOT NULL DEFAULT 'sending',
    "channel_id" TEXT,
    "message_id" TEXT,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "target_notices_pkey" PRIMARY KEY ("action_id")
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
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "checked_at" TIMESTAMPTZ(3),
    "reachable" BOOLEAN,
    "problem" TEXT,

    CONSTRAINT "game_servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sealing_keys" (
    "id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "published_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "sealing_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "message_archives" (
    "id" TEXT NOT NULL DEFAULT new_id('arc'::text),
    "guild_id" TEXT NOT NULL,
    "action_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "messages" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_archives_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "discord_log_entries" (
    "guild_id" TEXT NOT NULL,
    "entry_id" TEXT NOT NULL,
    "case_id" TEXT,

    CONSTRAINT "discord_log_entries_pkey" PRIMARY KEY ("guild_id","entry_id")
);

-- CreateTable
CREATE TABLE "discord_log_positions" (
    "guild_id" TEXT NOT NULL,
    "read_from" TEXT NOT NULL,
    "is_readable" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "discord_log_positions_pkey" PRIMARY KEY ("guild_id")
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
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
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
    "wrong_codes_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],

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
    "wrong_codes_at" TIMESTAMPTZ(3)[] DEFAULT ARRAY[]::TIMESTAMPTZ(3)[],

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash")
);

-- CreateIndex
CREATE INDEX "guilds_owner_id_idx" ON "guilds"("owner_id");

-- CreateIndex
CREATE UNIQUE INDEX "escalations_action_id_key" ON "escalations"("action_id");

-- CreateIndex
CREATE INDEX "escalations_settled_at_idx" ON "escalations"("settled_at");

-- CreateIndex
CREATE UNIQUE INDEX "reason_presets_guild_id_kind_name_key" ON "reason_presets"("guild_id", "kind", "name");

-- CreateIndex
CREATE INDEX "notes_guild_id_user_id_id_idx" ON "notes"("guild_id", "user_id", "id");

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
CREATE INDEX "windows_expires_at_idx" ON "windows"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "approval_requests_window_id_key" ON "approval_requests"("window_id");

-- CreateIndex
CREATE INDEX "approval_requests_guild_id_state_id_idx" ON "approval_requests"("guild_id", "state", "id");

-- CreateIndex
CREATE INDEX "approval_requests_token_id_digest_idx" ON "approval_requests"("token_id", "digest");

-- CreateIndex
CREATE INDEX "approval_requests_expires_at_idx" ON "approval_requests"("expires_at");

-- CreateIndex
CREATE INDEX "idempotency_keys_action_id_idx" ON "idempotency_keys"("action_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "actions_guild_id_id_idx" ON "actions"("guild_id", "id");

-- CreateIndex
CREATE INDEX "actions_guild_id_target_id_id_idx" ON "actions"("guild_id", "target_id", "id");

-- CreateIndex
CREATE INDEX "actions_state_lease_expires_at_idx" ON "actions"("state", "lease_expires_at");

-- CreateIndex
CREATE INDEX "audit_guild_id_at_id_idx" ON "audit"("guild_id", "at", "id");

-- CreateIndex
CREATE INDEX "cases_guild_id_kind_id_idx" ON "cases"("guild_id", "kind", "id");

-- CreateIndex
CREATE INDEX "cases_guild_id_kind_issued_at_case_number_idx" ON "cases"("guild_id", "kind", "issued_at", "case_number");

-- CreateIndex
CREATE INDEX "cases_guild_id_issued_by_issued_at_idx" ON "cases"("guild_id", "issued_by", "issued_at");

-- CreateIndex
CREATE INDEX "cases_guild_id_user_id_kind_id_idx" ON "cases"("guild_id", "user_id", "kind", "id");

-- CreateIndex
CREATE INDEX "cases_expires_at_idx" ON "cases"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "cases_guild_id_case_number_key" ON "cases"("guild_id", "case_number");

-- CreateIndex
CREATE INDEX "case_posts_began_at_idx" ON "case_posts"("began_at");

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
CREATE INDEX "discord_log_entries_case_id_idx" ON "discord_log_entries"("case_id");

-- CreateIndex
CREATE UNIQUE INDEX "device_authorizations_device_code_hash_key" ON "device_authorizations"("device_code_hash");

-- CreateIndex
CREATE UNIQUE INDEX "device_authorizations_user_code_key" ON "device_authorizations"("user_code");

-- CreateIndex
CREATE INDEX "device_authorizations_expires_at_idx" ON "device_authorizations"("expires_at");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- AddForeignKey
ALTER TABLE "escalation_policies" ADD CONSTRAINT "escalation_policies_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "escalation_steps" ADD CONSTRAINT "escalation_steps_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "escalation_policies"("guild_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reason_presets" ADD CONSTRAINT "reason_presets_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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
ALTER TABLE "case_posts" ADD CONSTRAINT "case_posts_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "target_notices" ADD CONSTRAINT "target_notices_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "actions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- From here on: what Prisma's schema has no words for.

-- The audit log is partitioned: writes stay, reads are dropped by whole days (keep_audit_partitions).
CREATE TABLE "audit_writes" PARTITION OF "audit" FOR VALUES IN (false);
CREATE TABLE "audit_reads" PARTITION OF "audit" FOR VALUES IN (true) PARTITION BY RANGE ("at");
CREATE TABLE "audit_reads_default" PARTITION OF "audit_reads" DEFAULT;

-- The filters of the audit log. They cover writes only: reads are many, each index costs an insert, and reads are
-- dropped after some weeks.
CREATE INDEX "audit_writes_action_id_idx" ON "audit_writes" ("action_id");
CREATE INDEX "audit_writes_operation_idx" ON "audit_writes" ("guild_id", "operation", "at");
CREATE INDEX "audit_writes_actor_idx" ON "audit_writes" ("guild_id", "actor_user_id", "at");
CREATE INDEX "audit_writes_source_idx" ON "audit_writes" ("guild_id", "actor_source", "at");
CREATE INDEX "audit_writes_outcome_idx" ON "audit_writes" ("guild_id", "outcome", "at");
CREATE INDEX "audit_writes_token_idx" ON "audit_writes" ("guild_id", "token_id", "at") WHERE "token_id" IS NOT NULL;
CREATE INDEX "audit_writes_target_idx" ON "audit_writes" ("guild_id", "target_id", "at") WHERE "target_id" IS NOT NULL;
CREATE INDEX "audit_writes_request_idx" ON "audit_writes" ("request_id") WHERE "request_id" IS NOT NULL;

-- rate_limits is UNLOGGED: after a crash of the database its limits begin anew, which costs nobody anything. Budgets are
-- another table. Rows of both are written with every call and keep room for their next version.
ALTER TABLE "budgets" SET (fillfactor = 50);
ALTER TABLE "rate_limits" SET (fillfactor = 50);

-- The jobs that watch tokens: which are due for rotation, whose owner waits for a message about it, whose issuer was
-- looked up longest ago, which have lost a capability, and who issued what.
CREATE INDEX "tokens_rotation_due_idx" ON "tokens" (coalesce("rotated_at", "created_at"))
  WHERE "rotation_required_at" IS NULL AND "revoked_at" IS NULL;
CREATE INDEX "tokens_rotation_notice_idx" ON "tokens" ("rotation_required_at")
  WHERE "rotation_required_at" IS NOT NULL AND "rotation_noticed_at" IS NULL AND "revoked_at" IS NULL;
CREATE INDEX "tokens_issuer_check_idx" ON "tokens" ("issuer_checked_at" NULLS FIRST) WHERE "revoked_at" IS NULL;
CREATE INDEX "tokens_capability_lost_idx" ON "tokens" ("capability_lost_at")
  WHERE "capability_lost_at" IS NOT NULL AND "revoked_at" IS NULL;
CREATE INDEX "tokens_live_issuer_idx" ON "tokens" ("guild_id", "issuer_id") WHERE "revoked_at" IS NULL;

-- The list of cases filtered by state: ended, in force without an end, in force until a time.
CREATE INDEX "cases_ended_idx" ON "cases" ("guild_id", "kind", "issued_at") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "cases_lasting_idx" ON "cases" ("guild_id", "kind", "issued_at")
  WHERE "ended_at" IS NULL AND "expires_at" IS NULL;
CREATE INDEX "cases_timed_idx" ON "cases" ("guild_id", "kind", "expires_at")
  WHERE "ended_at" IS NULL AND "expires_at" IS NOT NULL;

-- The search of cases: by words, and players by the beginning of their name or id in the game.
CREATE INDEX "cases_words_idx" ON "cases"
  USING gin (case_words("guild_id", "reason", "category", "player_name", "in_game_id"));
CREATE INDEX "cases_player_name_idx" ON "cases" ("guild_id", lower("player_name") text_pattern_ops)
  WHERE "player_name" IS NOT NULL;
CREATE INDEX "cases_in_game_id_idx" ON "cases" ("guild_id", lower("in_game_id") text_pattern_ops)
  WHERE "in_game_id" IS NOT NULL;
