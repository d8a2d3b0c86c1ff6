-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "close_agreed_at" TIMESTAMPTZ(3),
ADD COLUMN     "close_asked_at" TIMESTAMPTZ(3),
ADD COLUMN     "close_asked_by" TEXT,
ADD COLUMN     "closes_at" TIMESTAMPTZ(3);

-- The few whose opener is asked.
CREATE INDEX "tickets_closes_at_idx" ON "tickets" ("closes_at") WHERE "closes_at" IS NOT NULL;
