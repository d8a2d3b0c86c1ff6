-- AlterTable
ALTER TABLE "shard_holders" ADD COLUMN "is_reading" BOOLEAN NOT NULL DEFAULT false;
