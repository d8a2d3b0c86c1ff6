-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "alerts_joins" BOOLEAN NOT NULL DEFAULT false;
