-- CreateIndex
CREATE INDEX "person_lists_undone_by_idx" ON "person_lists"("undone_by");
