-- AlterEnum
ALTER TYPE "ApprovalState" ADD VALUE 'withdrawn';

-- CreateTable
CREATE TABLE "known_channels" (
    "channel_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "learned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "known_channels_pkey" PRIMARY KEY ("channel_id")
);

-- CreateIndex
CREATE INDEX "known_channels_learned_at_idx" ON "known_channels"("learned_at");
