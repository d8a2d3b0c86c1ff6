-- Bans whose time is over are few: the bot lifts them then. By their times alone the planner expects as many as of
-- mutes, which simply expire, and looks through all bans of a guild for a page of them.
CREATE INDEX "cases_bans_over_idx" ON "cases" ("guild_id", "issued_at", "case_number", "expires_at")
  WHERE "kind" = 'ban' AND "ended_at" IS NULL AND "expires_at" IS NOT NULL;
