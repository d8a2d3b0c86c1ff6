-- Softbans are ended like bans, and one index serves both.
DROP INDEX "cases_bans_to_end_idx";
CREATE INDEX "cases_bans_to_end_idx" ON "cases" ("expires_at")
  WHERE "kind" IN ('ban', 'softban') AND "ended_at" IS NULL;
