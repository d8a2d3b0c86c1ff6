-- CreateIndex
CREATE INDEX "message_archives_action_id_idx" ON "message_archives"("action_id");

-- CreateIndex
CREATE INDEX "accounts_user_id_idx" ON "accounts"("user_id");
