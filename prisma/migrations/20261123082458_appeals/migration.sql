-- CreateEnum
CREATE TYPE "AppealState" AS ENUM ('sent', 'in_review', 'accepted', 'refused', 'over');

-- CreateTable
CREATE TABLE "appeal_settings" (
    "guild_id" TEXT NOT NULL,
    "kinds" "CaseKind"[] DEFAULT ARRAY[]::"CaseKind"[],
    "introduction" TEXT NOT NULL DEFAULT '',
    "questions" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "cooldown_days" INTEGER NOT NULL DEFAULT 0,
    "votes_needed" INTEGER NOT NULL DEFAULT 0,
    "channel_id" TEXT,

    CONSTRAINT "appeal_settings_pkey" PRIMARY KEY ("guild_id")
);

-- CreateTable
CREATE TABLE "appeals" (
    "id" TEXT NOT NULL DEFAULT new_id('apl'::text),
    "guild_id" TEXT NOT NULL,
    "case_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "answers" JSONB NOT NULL,
    "language" TEXT NOT NULL,
    "state" "AppealState" NOT NULL DEFAULT 'sent',
    "sent_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "reply" TEXT,
    "channel_id" TEXT,
    "message_id" TEXT,
    "busy_until" TIMESTAMPTZ(3),

    CONSTRAINT "appeals_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "appeal_votes" (
    "appeal_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "is_for" BOOLEAN NOT NULL,
    "voted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "appeal_votes_pkey" PRIMARY KEY ("appeal_id","user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "appeals_case_id_key" ON "appeals"("case_id");

-- CreateIndex
CREATE INDEX "appeals_guild_id_id_idx" ON "appeals"("guild_id", "id");

-- CreateIndex
CREATE INDEX "appeals_guild_id_state_id_idx" ON "appeals"("guild_id", "state", "id");

-- CreateIndex
CREATE INDEX "appeals_state_id_idx" ON "appeals"("state", "id");

-- CreateIndex
CREATE INDEX "appeals_user_id_id_idx" ON "appeals"("user_id", "id");

-- AddForeignKey
ALTER TABLE "appeal_settings" ADD CONSTRAINT "appeal_settings_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appeals" ADD CONSTRAINT "appeals_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "appeal_votes" ADD CONSTRAINT "appeal_votes_appeal_id_fkey" FOREIGN KEY ("appeal_id") REFERENCES "appeals"("id") ON DELETE CASCADE ON UPDATE CASCADE;
