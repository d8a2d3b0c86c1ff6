-- CreateEnum
CREATE TYPE "MeasureKind" AS ENUM ('slowmode', 'lock');

-- CreateTable
CREATE TABLE "measures" (
    "guild_id" TEXT NOT NULL,
    "kind" "MeasureKind" NOT NULL,
    "subject_id" TEXT NOT NULL,
    "action_id" TEXT NOT NULL,
    "before" JSONB NOT NULL,
    "after" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "taken_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "end_failed_at" TIMESTAMPTZ(3),

    CONSTRAINT "measures_pkey" PRIMARY KEY ("guild_id","kind","subject_id")
);
