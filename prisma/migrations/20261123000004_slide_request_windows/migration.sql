-- AlterTable
ALTER TABLE "rate_limits" ADD COLUMN     "slot_ends" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
ADD COLUMN     "slot_points" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
