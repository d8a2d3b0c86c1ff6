-- CreateEnum
CREATE TYPE "GamePlatform" AS ENUM ('minecraft', 'minecraft_uuid', 'steam', 'eos', 'xbox', 'other');

-- CreateTable
CREATE TABLE "identities" (
    "id" TEXT NOT NULL DEFAULT new_id('idn'::text),
    "guild_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "platform" "GamePlatform" NOT NULL,
    "in_game_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "set_by" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "identities_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "identities_guild_id_user_id_id_idx" ON "identities"("guild_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "identities_guild_id_id_idx" ON "identities"("guild_id", "id");

-- CreateIndex
CREATE INDEX "identities_user_id_idx" ON "identities"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "identities_guild_id_key_platform_key" ON "identities"("guild_id", "key", "platform");

-- AddForeignKey
ALTER TABLE "identities" ADD CONSTRAINT "identities_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;
