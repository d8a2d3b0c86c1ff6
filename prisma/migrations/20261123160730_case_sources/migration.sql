-- AlterTable
ALTER TABLE "cases" ADD COLUMN     "source" "ActorSource";

-- The triggers, if the database has them already, would tell everybody of each of these cases.
ALTER TABLE "cases" DISABLE TRIGGER USER;
UPDATE "cases" SET "source" = coalesce(mass."actor_source", a."actor_source")
FROM "actions" a LEFT JOIN "actions" mass
  ON a."actor_source" = 'system' AND mass."id" = a."request_id" AND mass."guild_id" = a."guild_id"
WHERE a."id" = "cases"."action_id";
ALTER TABLE "cases" ENABLE TRIGGER USER;

-- What each moderator did in some time is counted from these alone, without the rows.
CREATE INDEX "cases_opened_idx" ON "cases" ("guild_id", "issued_at") INCLUDE ("issued_by", "kind", "source")
  WHERE "import_id" IS NULL;
CREATE INDEX "cases_ended_early_idx" ON "cases" ("guild_id", "issued_at")
  WHERE "import_id" IS NULL AND "ended_at" IS NOT NULL;
