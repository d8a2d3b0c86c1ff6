-- CreateEnum
CREATE TYPE "ChannelKind" AS ENUM ('text', 'announcement', 'voice', 'stage', 'category', 'forum', 'media', 'other');

-- CreateTable
CREATE TABLE "channels" (
    "guild_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "kind" "ChannelKind" NOT NULL,
    "name" TEXT,
    "position" INTEGER NOT NULL,
    "parent_id" TEXT,
    "overwrites" JSONB NOT NULL,

    CONSTRAINT "channels_pkey" PRIMARY KEY ("guild_id","id")
);

-- AddForeignKey
ALTER TABLE "channels" ADD CONSTRAINT "channels_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;
