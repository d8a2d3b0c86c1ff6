-- CreateEnum
CREATE TYPE "ForgottenKind" AS ENUM ('guild', 'person');

-- CreateTable
CREATE TABLE "forgettings" (
    "id" TEXT NOT NULL DEFAULT new_id('fgt'::text),
    "kind" "ForgottenKind" NOT NULL,
    "mark" TEXT NOT NULL,
    "counts" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "forgettings_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "forgettings_mark_idx" ON "forgettings"("mark");

-- CreateIndex
CREATE INDEX "notes_user_id_idx" ON "notes"("user_id");

-- CreateIndex
CREATE INDEX "known_names_learned_at_idx" ON "known_names"("learned_at");

-- CreateIndex
CREATE INDEX "cases_user_id_idx" ON "cases"("user_id");

-- CreateIndex
CREATE INDEX "tickets_opened_by_idx" ON "tickets"("opened_by");
