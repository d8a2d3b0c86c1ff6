-- AlterTable
ALTER TABLE "approval_requests" ADD COLUMN     "subject" JSONB;
