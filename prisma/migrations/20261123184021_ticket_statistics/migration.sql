-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "answered_at" TIMESTAMPTZ(3);

-- What became of the tickets of some days is counted from these alone, without the rows.
CREATE INDEX "tickets_opened_idx" ON "tickets" ("guild_id", "opened_at", "category");
CREATE INDEX "tickets_closed_idx" ON "tickets" ("guild_id", "closed_at")
  INCLUDE ("opened_at", "answered_at", "category", "claimed_by", "closed_by") WHERE "closed_at" IS NOT NULL;
