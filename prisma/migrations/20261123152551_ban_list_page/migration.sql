-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "page" JSONB;
