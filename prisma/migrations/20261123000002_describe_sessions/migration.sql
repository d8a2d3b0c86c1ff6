-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "address" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "browser" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
ADD COLUMN     "signed_in_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp();

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- Nobody knows when those who are signed in did so, except that a session lasted 14 days. None of them is fresh.
UPDATE "sessions" SET "signed_in_at" = "expires_at" - interval '14 days';
