-- CreateTable
CREATE TABLE "direct_channels" (
    "user_id" TEXT NOT NULL,
    "channel_id" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "direct_channels_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "direct_channels_opened_at_idx" ON "direct_channels"("opened_at");
