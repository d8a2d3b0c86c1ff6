-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "public_answers" TEXT[] DEFAULT ARRAY[]::TEXT[];
