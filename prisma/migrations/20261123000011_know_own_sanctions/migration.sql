-- AlterTable
ALTER TABLE "cases" ADD COLUMN     "end_failed_at" TIMESTAMPTZ(3),
ADD COLUMN     "timeout_until" TIMESTAMPTZ(3);

-- Few cases are in it, so the dashboard counts them without reading the others.
CREATE INDEX "cases_end_failed_idx" ON "cases" ("guild_id") WHERE "end_failed_at" IS NOT NULL AND "ended_at" IS NULL;
