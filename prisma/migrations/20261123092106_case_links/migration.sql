-- CreateTable
CREATE TABLE "case_links" (
    "guild_id" TEXT NOT NULL,
    "case_id" TEXT NOT NULL,
    "other_id" TEXT NOT NULL,
    "linked_by" TEXT NOT NULL,
    "linked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "case_links_pkey" PRIMARY KEY ("case_id","other_id")
);

-- CreateIndex
CREATE INDEX "case_links_other_id_idx" ON "case_links"("other_id");

-- CreateIndex
CREATE INDEX "case_links_guild_id_idx" ON "case_links"("guild_id");

-- AddForeignKey
ALTER TABLE "case_links" ADD CONSTRAINT "case_links_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "case_links" ADD CONSTRAINT "case_links_other_id_fkey" FOREIGN KEY ("other_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;
