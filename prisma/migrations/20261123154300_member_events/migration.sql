-- CreateEnum
CREATE TYPE "MemberEventKind" AS ENUM ('joined', 'left', 'renamed');

-- CreateTable
CREATE TABLE "member_events" (
    "guild_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "MemberEventKind" NOT NULL,
    "username" TEXT,
    "display_name" TEXT,
    "old_username" TEXT,
    "old_display_name" TEXT,

    CONSTRAINT "member_events_pkey" PRIMARY KEY ("guild_id","user_id","at","kind")
);

-- CreateIndex
CREATE INDEX "member_events_guild_id_at_idx" ON "member_events"("guild_id", "at");

-- CreateIndex
CREATE INDEX "member_events_at_idx" ON "member_events"("at");

-- AddForeignKey
ALTER TABLE "member_events" ADD CONSTRAINT "member_events_guild_id_fkey" FOREIGN KEY ("guild_id") REFERENCES "guilds"("id") ON DELETE CASCADE ON UPDATE CASCADE;
