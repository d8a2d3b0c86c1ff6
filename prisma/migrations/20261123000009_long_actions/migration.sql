-- AlterTable
ALTER TABLE "actions" ADD COLUMN     "continues_since" TIMESTAMPTZ(3),
ADD COLUMN     "progress" JSONB,
ADD COLUMN     "stopped_by" TEXT,
ADD COLUMN     "work" JSONB,
ADD COLUMN     "worker" TEXT;

-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "is_cut" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "action_pages" (
    "action_id" TEXT NOT NULL,
    "page" INTEGER NOT NULL,
    "messages" JSONB NOT NULL,

    CONSTRAINT "action_pages_pkey" PRIMARY KEY ("action_id","page")
);

-- AddForeignKey
ALTER TABLE "action_pages" ADD CONSTRAINT "action_pages_action_id_fkey" FOREIGN KEY ("action_id") REFERENCES "actions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Until now, a transcript had the latest 1,000 messages.
UPDATE "tickets" SET "is_cut" = true WHERE jsonb_array_length("transcript") >= 1000;
