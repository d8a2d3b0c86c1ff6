-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "alerts_quiet_days" INTEGER,
ADD COLUMN     "words_seen_from" TIMESTAMPTZ(3),
ADD COLUMN     "words_seen_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "last_words" (
    "guild_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "last_words_pkey" PRIMARY KEY ("guild_id","user_id")
);

-- AddForeignKey
ALTER TABLE "last_words" ADD CONSTRAINT "last_words_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "guilds" ADD CONSTRAINT "guilds_alerts_quiet_days" CHECK ("alerts_quiet_days" BETWEEN 1 AND 90);
