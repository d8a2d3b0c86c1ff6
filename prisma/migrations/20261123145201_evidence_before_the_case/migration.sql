-- AlterTable
ALTER TABLE "evidence" ADD COLUMN     "action_id" TEXT,
ADD COLUMN     "url" TEXT,
ALTER COLUMN "case_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "case_messages" (
    "id" TEXT NOT NULL DEFAULT new_id('msg'::text),
    "guild_id" TEXT NOT NULL,
    "case_id" TEXT,
    "action_id" TEXT,
    "channel_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "author_id" TEXT NOT NULL,
    "text" TEXT,
    "attached_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "case_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "case_messages_case_id_id_idx" ON "case_messages"("case_id", "id");

-- CreateIndex
CREATE INDEX "case_messages_action_id_idx" ON "case_messages"("action_id");

-- CreateIndex
CREATE INDEX "case_messages_guild_id_idx" ON "case_messages"("guild_id");

-- CreateIndex
CREATE INDEX "case_messages_author_id_idx" ON "case_messages"("author_id");

-- CreateIndex
CREATE INDEX "case_messages_attached_at_idx" ON "case_messages"("attached_at");

-- CreateIndex
CREATE INDEX "evidence_action_id_idx" ON "evidence"("action_id");

-- AddForeignKey
ALTER TABLE "case_messages" ADD CONSTRAINT "case_messages_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;
