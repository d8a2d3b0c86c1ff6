-- AlterTable
ALTER TABLE "cases" ADD COLUMN     "renewing_until" TIMESTAMPTZ(3);
