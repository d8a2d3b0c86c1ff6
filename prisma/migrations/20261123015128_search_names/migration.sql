ALTER TABLE "known_names" ADD COLUMN "avatar_hash" TEXT, ADD COLUMN "guild_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

UPDATE "known_names" SET "guild_ids" = ARRAY(
  SELECT "guild_id" FROM "cases" WHERE "user_id" = "known_names"."user_id"
  UNION SELECT "guild_id" FROM "notes" WHERE "user_id" = "known_names"."user_id"
  UNION SELECT "guild_id" FROM "tickets" WHERE "opened_by" = "known_names"."user_id");

-- Any three characters of a name are found.
CREATE INDEX "members_names_idx" ON "members" USING gin (
  name_grams(ARRAY["guild_id"], ARRAY[name_to_search("username"), name_to_search("display_name")]));
CREATE INDEX "known_names_names_idx" ON "known_names" USING gin (
  name_grams("guild_ids", ARRAY[name_to_search("username"), name_to_search("display_name")]));
