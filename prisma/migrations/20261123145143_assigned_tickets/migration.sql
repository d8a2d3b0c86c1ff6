-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "assigned_by" TEXT;
