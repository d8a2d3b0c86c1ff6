-- CreateEnum
CREATE TYPE "Game" AS ENUM ('minecraft', 'source', 'rust', 'ark', 'squad', 'other');

-- AlterTable
ALTER TABLE "game_servers" ADD COLUMN     "announce_template" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "ban_template" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "game" "Game" NOT NULL DEFAULT 'other',
ADD COLUMN     "kick_template" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "unban_template" TEXT NOT NULL DEFAULT '';
