-- CreateEnum
CREATE TYPE "MirrorProblem" AS ENUM ('outage', 'no_answer', 'rate_limited', 'no_access');

-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "mirror_problem" "MirrorProblem";

-- AlterTable
ALTER TABLE "gateway_shards" ADD COLUMN     "lost_at" TIMESTAMPTZ(3);
