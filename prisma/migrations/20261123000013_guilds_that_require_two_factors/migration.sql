-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "requires_two_factor" BOOLEAN NOT NULL DEFAULT false;
