-- CreateEnum
CREATE TYPE "ListKind" AS ENUM ('ban', 'mute');

-- CreateEnum
CREATE TYPE "ListSpared" AS ENUM ('unreadable', 'duplicate', 'unfit', 'left', 'already', 'self', 'bot', 'above', 'staff', 'later');

-- CreateTable
CREATE TABLE "person_lists" (
    "action_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "kind" "ListKind" NOT NULL,
    "people" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "taken_by" TEXT,
    "undone_by" TEXT,

    CONSTRAINT "person_lists_pkey" PRIMARY KEY ("action_id")
);

-- CreateTable
CREATE TABLE "listed_people" (
    "list_id" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "user_id" TEXT,
    "spared" "ListSpared",
    "action_id" TEXT,
    "undo_action_id" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "listed_people_pkey" PRIMARY KEY ("list_id","place")
);

-- CreateIndex
CREATE UNIQUE INDEX "person_lists_taken_by_key" ON "person_lists"("taken_by");

-- CreateIndex
CREATE INDEX "person_lists_guild_id_idx" ON "person_lists"("guild_id");

-- CreateIndex
CREATE INDEX "person_lists_created_at_idx" ON "person_lists"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "listed_people_action_id_key" ON "listed_people"("action_id");

-- CreateIndex
CREATE UNIQUE INDEX "listed_people_undo_action_id_key" ON "listed_people"("undo_action_id");

-- AddForeignKey
ALTER TABLE "listed_people" ADD CONSTRAINT "listed_people_list_id_fkey" FOREIGN KEY ("list_id") REFERENCES "person_lists"("action_id") ON DELETE CASCADE ON UPDATE CASCADE;
