-- AlterTable
ALTER TABLE "actions" ADD COLUMN     "looked_at" TIMESTAMPTZ(3);
