-- CreateEnum
CREATE TYPE "DatabasePart" AS ENUM ('bot', 'web');

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "access_token_sealed" BYTEA,
ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "database_logins" (
    "part" "DatabasePart" NOT NULL,
    "login" TEXT NOT NULL,

    CONSTRAINT "database_logins_pkey" PRIMARY KEY ("part")
);

-- CreateTable
CREATE TABLE "signing_secret" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "secret" BYTEA NOT NULL,

    CONSTRAINT "signing_secret_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "database_logins_login_key" ON "database_logins"("login");

-- From two random UUIDs: 244 random bits.
INSERT INTO "signing_secret" ("secret") VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
ALTER TABLE "signing_secret" ADD CONSTRAINT "signing_secret_is_one_row" CHECK ("id");
