-- CreateEnum
CREATE TYPE "EvidenceProblem" AS ENUM ('too_large', 'unread', 'full');

-- CreateTable
CREATE TABLE "evidence" (
    "id" TEXT NOT NULL DEFAULT new_id('evi'::text),
    "guild_id" TEXT NOT NULL,
    "case_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "media_type" TEXT,
    "size_bytes" INTEGER NOT NULL,
    "content" BYTEA,
    "sha256" BYTEA,
    "problem" "EvidenceProblem",
    "attached_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "evidence_pkey" PRIMARY KEY ("id")
);

-- Pictures and films do not get smaller by compression.
ALTER TABLE "evidence" ALTER COLUMN "content" SET STORAGE EXTERNAL;

-- CreateIndex
CREATE INDEX "evidence_case_id_id_idx" ON "evidence"("case_id", "id");

-- CreateIndex
CREATE INDEX "evidence_guild_id_idx" ON "evidence"("guild_id");

-- CreateIndex
CREATE INDEX "evidence_attached_at_idx" ON "evidence"("attached_at");

-- AddForeignKey
ALTER TABLE "evidence" ADD CONSTRAINT "evidence_case_id_fkey" FOREIGN KEY ("case_id") REFERENCES "cases"("id") ON DELETE CASCADE ON UPDATE CASCADE;
