-- AlterTable
ALTER TABLE "tickets" ADD COLUMN     "answers" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "category" TEXT;

-- CreateTable
CREATE TABLE "ticket_settings" (
    "guild_id" TEXT NOT NULL,
    "categories" JSONB NOT NULL DEFAULT '[]',
    "most_open_of_person" INTEGER NOT NULL DEFAULT 5,
    "most_open_of_guild" INTEGER NOT NULL DEFAULT 200,
    "cooldown_minutes" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "ticket_settings_pkey" PRIMARY KEY ("guild_id")
);

-- AddForeignKey
ALTER TABLE "ticket_settings" ADD CONSTRAINT "ticket_settings_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;
