-- Who made a report about a moderator stays unnamed in its post, also while that moderator is away.
-- AlterTable
ALTER TABLE "reports" ADD COLUMN     "hides_author" BOOLEAN NOT NULL DEFAULT false;
UPDATE "reports" r SET "hides_author" = true
  WHERE EXISTS (SELECT FROM "members" m WHERE m."guild_id" = r."guild_id" AND m."user_id" = r."user_id");
