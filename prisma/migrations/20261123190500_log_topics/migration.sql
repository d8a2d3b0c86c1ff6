-- CreateEnum
CREATE TYPE "LogTopic" AS ENUM ('bans', 'mutes', 'strikes', 'tickets', 'actions', 'alerts');

-- CreateTable
CREATE TABLE "log_topics" (
    "guild_id" TEXT NOT NULL,
    "topic" "LogTopic" NOT NULL,
    "channel_id" TEXT NOT NULL,
    "problem" "LogChannelProblem",

    CONSTRAINT "log_topics_pkey" PRIMARY KEY ("guild_id","topic")
);

-- AddForeignKey
ALTER TABLE "log_topics" ADD CONSTRAINT "log_topics_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;
