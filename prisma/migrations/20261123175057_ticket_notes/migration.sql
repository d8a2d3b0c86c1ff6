-- CreateTable
CREATE TABLE "ticket_notes" (
    "id" TEXT NOT NULL DEFAULT new_id('tno'::text),
    "guild_id" TEXT NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "text" TEXT NOT NULL,
    "written_by" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),

    CONSTRAINT "ticket_notes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ticket_notes_ticket_id_id_idx" ON "ticket_notes"("ticket_id", "id");

-- CreateIndex
CREATE INDEX "ticket_notes_guild_id_idx" ON "ticket_notes"("guild_id");

-- AddForeignKey
ALTER TABLE "ticket_notes" ADD CONSTRAINT "ticket_notes_ticket_id_fkey" FOREIGN KEY ("ticket_id") REFERENCES "tickets"("id") ON DELETE CASCADE ON UPDATE CASCADE;
