-- CreateEnum
CREATE TYPE "PlayersState" AS ENUM ('asked', 'listed', 'unreachable', 'not_allowed', 'no_command', 'unreadable');

-- CreateTable
CREATE TABLE "server_players" (
    "server_id" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "state" "PlayersState" NOT NULL DEFAULT 'asked',
    "read_at" TIMESTAMPTZ(3),
    "players" JSONB NOT NULL DEFAULT '[]',
    "more" INTEGER NOT NULL DEFAULT 0,
    "unread" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "server_players_pkey" PRIMARY KEY ("server_id")
);

-- AddForeignKey
ALTER TABLE "server_players" ADD CONSTRAINT "server_players_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "game_servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
