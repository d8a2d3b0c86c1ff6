-- CreateTable
CREATE TABLE "case_changes" (
    "id" TEXT NOT NULL DEFAULT new_id('chg'::text),
    "guild_id" TEXT NOT NULL,
    "case_id" TEXT NOT NULL,
    "action_id" TEXT NOT NULL,
    "changed_by" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "why" TEXT,
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,

    CONSTRAINT "case_changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "case_changes_case_id_id_idx" ON "case_changes"("case_id", "id");

-- CreateIndex
CREATE INDEX "case_changes_guild_id_idx" ON "case_changes"("guild_id");

-- AddForeignKey
ALTER TABLE "case_changes" ADD CONSTRAINT "case_changes_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;
