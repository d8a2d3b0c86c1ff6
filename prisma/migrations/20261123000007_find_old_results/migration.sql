-- For housekeeping, which deletes old results.
CREATE INDEX "actions_old_results_idx" ON "actions" ("settled_at") WHERE "result" IS NOT NULL;
