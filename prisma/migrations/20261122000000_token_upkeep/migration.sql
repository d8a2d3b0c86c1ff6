-- ── The jobs that watch tokens ───────────────────────────────────────────────────────────────────────────────────────

ALTER TABLE "guilds" ADD COLUMN "entitlement_id" TEXT;

ALTER TABLE "tokens"
  ADD COLUMN "capability_lost_seen_at" TIMESTAMPTZ(3),
  ADD COLUMN "issuer_checked_at" TIMESTAMPTZ(3),
  ADD COLUMN "rotation_notice_attempts" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "rotation_noticed_at" TIMESTAMPTZ(3);

-- Prisma has no words for these: which tokens grow old, whose message waits, whose issuer was not looked for longest, which
-- can do nothing at the moment, and who issued what (all that the sweep of every minute reads of most tokens).
CREATE INDEX "tokens_rotation_due_idx" ON "tokens" (coalesce("rotated_at", "created_at"))
  WHERE "rotation_required_at" IS NULL AND "revoked_at" IS NULL;
CREATE INDEX "tokens_rotation_notice_idx" ON "tokens" ("rotation_required_at")
  WHERE "rotation_required_at" IS NOT NULL AND "rotation_noticed_at" IS NULL AND "revoked_at" IS NULL;
CREATE INDEX "tokens_issuer_check_idx" ON "tokens" ("issuer_checked_at" NULLS FIRST) WHERE "revoked_at" IS NULL;

CREATE INDEX "tokens_capability_lost_idx" ON "tokens" ("capability_lost_at")
  WHERE "capability_lost_at" IS NOT NULL AND "revoked_at" IS NULL;
CREATE INDEX "tokens_live_issuer_idx" ON "tokens" ("guild_id", "issuer_id") WHERE "revoked_at" IS NULL;

CREATE INDEX "windows_expires_at_idx" ON "windows" ("expires_at");
CREATE INDEX "approval_requests_expires_at_idx" ON "approval_requests" ("expires_at");
