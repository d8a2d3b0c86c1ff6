-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "transcript_notice" "TargetNoticeState";

-- AlterTable
ALTER TABLE "ticket_settings" ADD COLUMN     "sends_transcript" BOOLEAN NOT NULL DEFAULT false;
