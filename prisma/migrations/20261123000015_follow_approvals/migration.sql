-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "muted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "approval_requests" ADD COLUMN     "action_id" TEXT;

-- Calls that an approval has admitted already.
UPDATE "approval_requests" SET "action_id" = (
  SELECT min("id") FROM "actions" WHERE "actions"."guild_id" = "approval_requests"."guild_id"
    AND "actions"."window_id" = "approval_requests"."window_id" AND "actions"."digest" = "approval_requests"."digest")
WHERE "window_id" IS NOT NULL;
