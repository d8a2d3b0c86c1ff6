-- AlterTable
ALTER TABLE "ticket_settings" ADD COLUMN     "asks_feedback" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "ticket_feedback" (
    "ticket_id" TEXT NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL,
    "guild_id" TEXT NOT NULL,
    "state" "TargetNoticeState" NOT NULL,
    "rating" INTEGER,
    "text" TEXT,
    "rated_at" TIMESTAMPTZ(3),

    CONSTRAINT "ticket_feedback_pkey" PRIMARY KEY ("ticket_id","closed_at")
);

-- CreateIndex
CREATE INDEX "ticket_feedback_guild_id_rated_at_idx" ON "ticket_feedback"("guild_id", "rated_at");

-- AddForeignKey
ALTER TABLE "ticket_feedback" ADD CONSTRAINT "ticket_feedback_ticket_id_fkey" FOREIGN KEY ("ticket_id") REFERENCES "tickets"("id") ON DELETE CASCADE ON UPDATE CASCADE;
