-- CreateTable
CREATE TABLE "refusal_counts" (
    "audit_id" TEXT NOT NULL,
    "guild_id" TEXT NOT NULL,
    "token_id" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "target_id" TEXT,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "last_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "refusal_counts_pkey" PRIMARY KEY ("audit_id")
);

-- CreateIndex
CREATE INDEX "refusal_counts_token_id_first_at_idx" ON "refusal_counts"("token_id", "first_at");

-- CreateIndex
CREATE INDEX "refusal_counts_first_at_idx" ON "refusal_counts"("first_at");

-- CreateIndex
CREATE INDEX "refusal_counts_guild_id_idx" ON "refusal_counts"("guild_id");
