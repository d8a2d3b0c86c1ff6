-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "reopened_at" TIMESTAMPTZ(3),
ADD COLUMN     "reopened_by" TEXT;
