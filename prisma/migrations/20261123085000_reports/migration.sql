-- CreateEnum
CREATE TYPE "ReportStatus" AS ENUM ('open', 'claimed', 'closed');

-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "reports_channel_id" TEXT;

-- AlterTable
ALTER TABLE "guild_counters" ADD COLUMN     "next_report_number" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "reports" (
    "id" TEXT NOT NULL DEFAULT new_id('rpt'::text),
    "guild_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "status" "ReportStatus" NOT NULL DEFAULT 'open',
    "user_id" TEXT NOT NULL,
    "reported_by" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "channel_id" TEXT,
    "message_id" TEXT,
    "message" JSONB,
    "reported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "claimed_by" TEXT,
    "claimed_at" TIMESTAMPTZ(3),
    "closed_by" TEXT,
    "closed_at" TIMESTAMPTZ(3),
    "answer" TEXT,
    "notice" "TargetNoticeState",
    "post_channel_id" TEXT,
    "post_message_id" TEXT,

    CONSTRAINT "reports_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "reports_guild_id_id_idx" ON "reports"("guild_id", "id");

-- CreateIndex
CREATE INDEX "reports_guild_id_status_id_idx" ON "reports"("guild_id", "status", "id");

-- CreateIndex
CREATE INDEX "reports_guild_id_user_id_status_idx" ON "reports"("guild_id", "user_id", "status");

-- CreateIndex
CREATE INDEX "reports_guild_id_reported_by_id_idx" ON "reports"("guild_id", "reported_by", "id");

-- CreateIndex
CREATE INDEX "reports_user_id_idx" ON "reports"("user_id");

-- CreateIndex
CREATE INDEX "reports_reported_by_idx" ON "reports"("reported_by");

-- CreateIndex
CREATE INDEX "reports_reported_at_idx" ON "reports"("reported_at");

-- CreateIndex
CREATE UNIQUE INDEX "reports_guild_id_number_key" ON "reports"("guild_id", "number");

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
