-- AlterTable
ALTER TABLE "members" ADD COLUMN     "timed_out_until" TIMESTAMPTZ(3);
