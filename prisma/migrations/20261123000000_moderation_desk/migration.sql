-- CreateEnum
CREATE TYPE "EscalationKind" AS ENUM ('mute', 'ban');

-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "language" TEXT NOT NULL DEFAULT 'en',
ADD COLUMN     "notifies_targets" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "gateway_turns" (
    "bucket" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gateway_turns_pkey" PRIMARY KEY ("bucket")
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
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "reason_presets_guild_id_kind_name_key" ON "reason_presets"("guild_id", "kind", "name");

-- CreateIndex
CREATE INDEX "notes_guild_id_user_id_id_idx" ON "notes"("guild_id", "user_id", "id");

-- AddForeignKey
ALTER TABLE "escalation_policies" ADD CONSTRAINT "escalation_policies_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "escalation_steps" ADD CONSTRAINT "escalation_steps_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "escalation_policies"("guild_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reason_presets" ADD CONSTRAINT "reason_presets_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

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

-- CreateIndex
CREATE INDEX "discord_log_entries_case_id_idx" ON "discord_log_entries"("case_id");

-- ── The audit log in the dashboard: found by any filter, newest first ────────────────────────────────────────────────

-- CreateTable
CREATE TABLE "activity_days" (
    "guild_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "counts" JSONB NOT NULL,

    CONSTRAINT "activity_days_pkey" PRIMARY KEY ("guild_id","day")
);

-- CreateIndex
CREATE INDEX "audit_guild_id_at_id_idx" ON "audit"("guild_id", "at", "id");

-- Of writes only: reads are many, each of these costs an insert, and reads are dropped after some weeks.
CREATE INDEX "audit_writes_operation_idx" ON "audit_writes" ("guild_id", "operation", "at");
CREATE INDEX "audit_writes_actor_idx" ON "audit_writes" ("guild_id", "actor_user_id", "at");
CREATE INDEX "audit_writes_source_idx" ON "audit_writes" ("guild_id", "actor_source", "at");
CREATE INDEX "audit_writes_outcome_idx" ON "audit_writes" ("guild_id", "outcome", "at");
CREATE INDEX "audit_writes_token_idx" ON "audit_writes" ("guild_id", "token_id", "at") WHERE "token_id" IS NOT NULL;
CREATE INDEX "audit_writes_target_idx" ON "audit_writes" ("guild_id", "target_id", "at") WHERE "target_id" IS NOT NULL;
CREATE INDEX "audit_writes_request_idx" ON "audit_writes" ("request_id") WHERE "request_id" IS NOT NULL;

-- ── Open pages of the dashboard are told of every change, whoever makes it ───────────────────────────────────────────

-- With the id of the new row, so that it can be shown without being looked for.
CREATE FUNCTION tell_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell('audit', NEW.guild_id, jsonb_build_object('id', NEW.id));
  RETURN NULL;
END
$$;
CREATE TRIGGER audit_told AFTER INSERT ON "audit_writes" FOR EACH ROW EXECUTE FUNCTION tell_of_audit();

CREATE OR REPLACE FUNCTION audit_call(p jsonb, p_outcome "AuditOutcome", p_code text, p_action_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
                     outcome, code, request_id, address, digest, action_id)
  VALUES (p->>'guild_id', (p->>'actor_source')::"ActorSource", p->>'actor_user_id', p->>'token_id', p->>'token_name',
          p->>'operation', p->>'target_type', p->>'target_id', p_outcome, p_code, p->>'request_id', p->>'address',
          p->>'digest', p_action_id);
END
$$;

-- The argument is the kind of change. Rows of a transaction that say the same are told once.
CREATE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell(TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.guild_id ELSE NEW.guild_id END, '{}');
  RETURN NULL;
END
$$;
CREATE TRIGGER case_told AFTER INSERT OR UPDATE ON "cases" FOR EACH ROW EXECUTE FUNCTION tell_of_change('case');
CREATE TRIGGER ticket_told AFTER INSERT OR UPDATE ON "tickets" FOR EACH ROW EXECUTE FUNCTION tell_of_change('ticket');
CREATE TRIGGER note_told AFTER INSERT OR UPDATE OR DELETE ON "notes" FOR EACH ROW EXECUTE FUNCTION tell_of_change('note');
CREATE TRIGGER grant_told AFTER INSERT OR UPDATE OR DELETE ON "role_grants"
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');
CREATE TRIGGER preset_told AFTER INSERT OR UPDATE OR DELETE ON "reason_presets"
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');
CREATE TRIGGER escalation_told AFTER INSERT OR UPDATE OR DELETE ON "escalation_policies"
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');
CREATE TRIGGER escalation_step_told AFTER INSERT OR UPDATE OR DELETE ON "escalation_steps"
  FOR EACH ROW EXECUTE FUNCTION tell_of_change('settings');

-- ── Cases in the dashboard: found by any filter, newest first ────────────────────────────────────────────────────────

-- AlterTable
ALTER TABLE "cases" ADD COLUMN     "end_action_id" TEXT;

-- CreateIndex
CREATE INDEX "cases_guild_id_kind_issued_at_case_number_idx" ON "cases"("guild_id", "kind", "issued_at", "case_number");

-- CreateIndex
CREATE INDEX "cases_guild_id_issued_by_issued_at_idx" ON "cases"("guild_id", "issued_by", "issued_at");

-- CreateIndex
CREATE INDEX "actions_guild_id_target_id_id_idx" ON "actions"("guild_id", "target_id", "id");

-- Where those in force or those ended are few among many: ended, in force without an end, and with one.
CREATE INDEX "cases_ended_idx" ON "cases" ("guild_id", "kind", "issued_at") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "cases_lasting_idx" ON "cases" ("guild_id", "kind", "issued_at")
  WHERE "ended_at" IS NULL AND "expires_at" IS NULL;
CREATE INDEX "cases_timed_idx" ON "cases" ("guild_id", "kind", "expires_at")
  WHERE "ended_at" IS NULL AND "expires_at" IS NOT NULL;

-- The words of a case, which is what stands between spaces and punctuation (an address would be one word otherwise). The
-- guild is one of them, so that a word that is common elsewhere costs nothing here.
CREATE FUNCTION case_words(guild_id text, reason text, category text, player_name text, in_game_id text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_to_tsvector(ARRAY['guild:' || guild_id]) || to_tsvector('simple', translate(
    coalesce(reason, '') || ' ' || coalesce(category, '') || ' ' || coalesce(player_name, '') || ' ' || coalesce(in_game_id, ''),
    '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32)))
$$;
CREATE INDEX "cases_words_idx" ON "cases"
  USING gin (case_words("guild_id", "reason", "category", "player_name", "in_game_id"));

-- Players by the beginning of their name or id in the game.
CREATE INDEX "cases_player_name_idx" ON "cases" ("guild_id", lower("player_name") text_pattern_ops)
  WHERE "player_name" IS NOT NULL;
CREATE INDEX "cases_in_game_id_idx" ON "cases" ("guild_id", lower("in_game_id") text_pattern_ops)
  WHERE "in_game_id" IS NOT NULL;

-- ── Cases are posted in the log channel, and their targets told ──────────────────────────────────────────────────────

-- CreateEnum
CREATE TYPE "LogChannelProblem" AS ENUM ('unknown_channel', 'missing_permission', 'refused');

-- CreateEnum
CREATE TYPE "TargetNoticeState" AS ENUM ('sending', 'told', 'closed', 'absent', 'not_sent', 'unknown', 'withdrawn');

-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "log_channel_problem" "LogChannelProblem";

-- CreateTable
CREATE TABLE "case_posts" (
    "case_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "message_id" TEXT,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "busy_until" TIMESTAMPTZ(3),

    CONSTRAINT "case_posts_pkey" PRIMARY KEY ("case_id")
);

-- CreateTable
CREATE TABLE "target_notices" (
    "action_id" TEXT NOT NULL,
    "state" "TargetNoticeState" NOT NULL DEFAULT 'sending',
    "channel_id" TEXT,
    "message_id" TEXT,
    "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "target_notices_pkey" PRIMARY KEY ("action_id")
);

-- CreateIndex
CREATE INDEX "case_posts_began_at_idx" ON "case_posts"("began_at");

-- AddForeignKey
ALTER TABLE "case_posts" ADD CONSTRAINT "case_posts_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "target_notices" ADD CONSTRAINT "target_notices_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "actions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- In the transaction that opens or ends a case, whoever does: a job that posts it, and one that tells its target. Who is
-- banned is told before that by the ban itself, and of what was done by hand in Discord, without an action, nobody is told.
CREATE FUNCTION follow_opened_cases() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', c.id), job_key => 'post_case:' || c.id, max_attempts => 10)
  FROM opened c JOIN guilds g ON g.id = c.guild_id WHERE g.log_channel_id IS NOT NULL;
  -- What a strike has led to is shown with it.
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', e.strike_id), job_key => 'post_case:' || e.strike_id, max_attempts => 10)
  FROM opened c JOIN escalations e ON e.action_id = c.action_id JOIN guilds g ON g.id = c.guild_id
  WHERE g.log_channel_id IS NOT NULL;
  PERFORM graphile_worker.add_job('tell_target', json_build_object('case_id', c.id), job_key => 'tell_target:' || c.id, max_attempts => 10,
    -- Many may wait for their turn among messages; nothing else waits behind them.
    priority => 10)
  FROM opened c JOIN guilds g ON g.id = c.guild_id
  WHERE g.notifies_targets AND c.kind <> 'ban' AND c.action_id IS NOT NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER cases_opened_followed AFTER INSERT ON "cases" REFERENCING NEW TABLE AS opened
  FOR EACH STATEMENT EXECUTE FUNCTION follow_opened_cases();

CREATE FUNCTION follow_ended_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', NEW.id), job_key => 'post_case:' || NEW.id, max_attempts => 10)
  FROM guilds WHERE id = NEW.guild_id AND log_channel_id IS NOT NULL;
  RETURN NULL;
END
$$;
CREATE TRIGGER case_ended_followed AFTER UPDATE OF "ended_at" ON "cases" FOR EACH ROW
  WHEN (OLD.ended_at IS DISTINCT FROM NEW.ended_at) EXECUTE FUNCTION follow_ended_case();

-- CreateTable
CREATE TABLE "escalations" (
    "strike_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "points" INTEGER NOT NULL,
    "sanction" "EscalationKind" NOT NULL,
    "duration_minutes" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action_id" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "escalations_pkey" PRIMARY KEY ("strike_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "escalations_action_id_key" ON "escalations"("action_id");

-- CreateIndex
CREATE INDEX "escalations_settled_at_idx" ON "escalations"("settled_at");

-- ── Open pages are told of a guild's settings ────────────────────────────────────────────────────────────────────────

CREATE FUNCTION tell_of_guild() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell('settings', NEW.id, '{}');
  RETURN NULL;
END
$$;
-- Not of the mirror's own columns, which change all the time.
CREATE TRIGGER guild_told AFTER UPDATE ON "guilds" FOR EACH ROW
  WHEN ((OLD.name, OLD.owner_id, OLD.tier, OLD.grants_confirmed_at, OLD.log_channel_id, OLD.language, OLD.notifies_targets,
      OLD.log_channel_problem)
    IS DISTINCT FROM
    (NEW.name, NEW.owner_id, NEW.tier, NEW.grants_confirmed_at, NEW.log_channel_id, NEW.language, NEW.notifies_targets,
      NEW.log_channel_problem))
  EXECUTE FUNCTION tell_of_guild();

-- Another log channel: what was wrong with the one before is forgotten, and the bot says hello there, or what is wrong.
CREATE FUNCTION follow_log_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.log_channel_problem := NULL;
  IF NEW.log_channel_id IS NOT NULL THEN
    PERFORM graphile_worker.add_job('open_log_channel', json_build_object('guild_id', NEW.id),
      job_key => 'open_log_channel:' || NEW.id, max_attempts => 5);
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER log_channel_followed BEFORE UPDATE OF "log_channel_id" ON "guilds" FOR EACH ROW
  WHEN (OLD.log_channel_id IS DISTINCT FROM NEW.log_channel_id) EXECUTE FUNCTION follow_log_channel();

-- CreateTable
CREATE TABLE "known_names" (
    "user_id" TEXT NOT NULL,
    "username" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "learned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "known_names_pkey" PRIMARY KEY ("user_id")
);

-- Whoever comes on record is asked about at Discord, unless the mirror holds them or it was done lately: pages show names.
CREATE FUNCTION meet_person() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  subject text := to_jsonb(NEW)->>TG_ARGV[0];
BEGIN
  IF NOT EXISTS (SELECT FROM members WHERE guild_id = NEW.guild_id AND user_id = subject)
      AND NOT EXISTS (SELECT FROM known_names WHERE user_id = subject AND learned_at > now() - interval '30 days') THEN
    PERFORM graphile_worker.add_job('learn_name', json_build_object('user_id', subject), job_key => 'learn_name:' || subject,
      max_attempts => 5, priority => 10);
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER case_person_met AFTER INSERT ON "cases" FOR EACH ROW EXECUTE FUNCTION meet_person('user_id');
CREATE TRIGGER ticket_person_met AFTER INSERT ON "tickets" FOR EACH ROW EXECUTE FUNCTION meet_person('opened_by');
CREATE TRIGGER note_person_met AFTER INSERT ON "notes" FOR EACH ROW EXECUTE FUNCTION meet_person('user_id');
