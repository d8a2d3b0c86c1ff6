-- DropIndex
DROP INDEX "person_lists_guild_id_idx";

-- CreateIndex
CREATE INDEX "person_lists_guild_id_kind_created_at_idx" ON "person_lists"("guild_id", "kind", "created_at");
