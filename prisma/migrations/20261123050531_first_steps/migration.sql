-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "hides_first_steps" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "log_channel_posted_at" TIMESTAMPTZ(3);

-- What works is known to work.
UPDATE "guilds" SET "log_channel_posted_at" = now() WHERE "log_channel_id" IS NOT NULL AND "log_channel_problem" IS NULL;
-- Who has begun already needs no first steps.
UPDATE "guilds" SET "hides_first_steps" = true WHERE "grants_confirmed_at" IS NOT NULL;
