-- CreateTable
CREATE TABLE "names_to_learn" (
    "user_id" TEXT NOT NULL,
    "met_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "asked_at" TIMESTAMPTZ(3),
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "names_to_learn_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE INDEX "names_to_learn_met_at_idx" ON "names_to_learn"("met_at");
