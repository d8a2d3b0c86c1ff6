-- AlterTable
ALTER TABLE "device_authorizations" ADD COLUMN     "refusal" TEXT,
ADD COLUMN     "refusal_reason" TEXT;
