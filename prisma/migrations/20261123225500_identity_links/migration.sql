-- CreateTable
CREATE TABLE "identity_links" (
    "id" TEXT NOT NULL DEFAULT new_id('lnk'::text),
    "guild_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "platform" "GamePlatform" NOT NULL,
    "in_game_id" TEXT NOT NULL,
    "code_hash" BYTEA,
    "asked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_links_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "identity_links_guild_id_user_id_idx" ON "identity_links"("guild_id", "user_id");

-- CreateIndex
CREATE INDEX "identity_links_user_id_idx" ON "identity_links"("user_id");

-- CreateIndex
CREATE INDEX "identity_links_asked_at_idx" ON "identity_links"("asked_at");

-- CreateIndex
CREATE UNIQUE INDEX "identity_links_guild_id_code_hash_key" ON "identity_links"("guild_id", "code_hash");

-- AddForeignKey
ALTER TABLE "identity_links" ADD CONSTRAINT "identity_links_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;
