-- CreateIndex
CREATE INDEX "known_names_guild_ids_idx" ON "known_names" USING GIN ("guild_ids");
