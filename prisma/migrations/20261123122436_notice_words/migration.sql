-- AlterTable
ALTER TABLE "guilds" ADD COLUMN     "notice_colour" INTEGER NOT NULL DEFAULT 5214166,
ADD COLUMN     "notice_words" TEXT NOT NULL DEFAULT '';
