-- AlterEnum
ALTER TYPE "RevokedReason" ADD VALUE 'client';

-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "client_id" TEXT;

-- AlterTable
ALTER TABLE "device_authorizations" ADD COLUMN     "capabilities" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "client_name" TEXT,
ADD COLUMN     "ip_allowlist" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "lifetime" TEXT NOT NULL DEFAULT '90d',
ADD COLUMN     "token_name" TEXT NOT NULL DEFAULT 'Bailiff MCP';
