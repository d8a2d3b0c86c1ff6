-- CreateIndex
CREATE INDEX "measures_guild_id_kind_action_id_idx" ON "measures"("guild_id", "kind", "action_id");

-- The roles of one member, whose id is the first part of the subject.
CREATE INDEX "measures_person_idx" ON "measures" ("guild_id", "kind", split_part("subject_id", ':', 1), "action_id");
