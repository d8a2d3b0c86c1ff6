-- CreateTable
CREATE TABLE "shard_holders" (
    "id" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "shard_count" INTEGER NOT NULL,
    "home" INTEGER[],
    "shard_ids" INTEGER[],
    "renewals" BIGINT NOT NULL DEFAULT 0,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "shard_holders_pkey" PRIMARY KEY ("id")
);
