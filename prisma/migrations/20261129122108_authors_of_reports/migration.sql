-- Who made a report about a moderator stays unnamed in its post, also while that moderator is away.
-- AlterTable
ALTER TABLE "reports" ADD COLUMN     "hides_author" BOOLEAN NOT NULL DEFAULT false;
