-- The public lists of cases are sorted by id. Whether a case is in force is read in three parts, as in the dashboard's
-- list, which is sorted by time.
CREATE INDEX "cases_ended_ids_idx" ON "cases" ("guild_id", "kind", "id") WHERE "ended_at" IS NOT NULL;
CREATE INDEX "cases_lasting_ids_idx" ON "cases" ("guild_id", "kind", "id")
  WHERE "ended_at" IS NULL AND "expires_at" IS NULL;
CREATE INDEX "cases_timed_ids_idx" ON "cases" ("guild_id", "kind", "id")
  WHERE "ended_at" IS NULL AND "expires_at" IS NOT NULL;
CREATE INDEX "cases_severity_idx" ON "cases" ("guild_id", "severity", "id") WHERE "severity" IS NOT NULL;

-- Lists of cases read each kind apart.
DROP INDEX "cases_guild_id_issued_by_issued_at_idx";
CREATE INDEX "cases_guild_id_issued_by_kind_issued_at_idx" ON "cases"("guild_id", "issued_by", "kind", "issued_at");

-- Only bans are ended when their time is over. An index of all times leads the planner of a guild's list to the times of
-- all guilds.
DROP INDEX "cases_expires_at_idx";
CREATE INDEX "cases_bans_to_end_idx" ON "cases" ("expires_at") WHERE "kind" = 'ban' AND "ended_at" IS NULL;

-- The filters of the audit log over recorded reads. Each index without a condition costs a read 3 µs.
CREATE INDEX "audit_reads_operation_idx" ON "audit_reads" ("guild_id", "operation", "at");
CREATE INDEX "audit_reads_actor_idx" ON "audit_reads" ("guild_id", "actor_user_id", "at");
CREATE INDEX "audit_reads_token_idx" ON "audit_reads" ("guild_id", "token_id", "at") WHERE "token_id" IS NOT NULL;
CREATE INDEX "audit_reads_target_idx" ON "audit_reads" ("guild_id", "target_id", "at") WHERE "target_id" IS NOT NULL;
CREATE INDEX "audit_reads_request_idx" ON "audit_reads" ("request_id") WHERE "request_id" IS NOT NULL;
CREATE INDEX "audit_reads_chat_idx" ON "audit_reads" ("guild_id", "at") WHERE "actor_source" = 'chat';
CREATE INDEX "audit_reads_refused_idx" ON "audit_reads" ("guild_id", "outcome", "at") WHERE "outcome" <> 'performed';
