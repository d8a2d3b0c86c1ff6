-- CreateEnum
CREATE TYPE "ImportSource" AS ENUM ('bailiff', 'zeppelin', 'masz', 'csv', 'discord');

-- AlterTable
ALTER TABLE "cases" ADD COLUMN     "import_id" TEXT;

-- CreateTable
CREATE TABLE "imports" (
    "id" TEXT NOT NULL DEFAULT new_id('imp'::text),
    "guild_id" TEXT NOT NULL,
    "source" "ImportSource" NOT NULL,
    "file_name" TEXT NOT NULL,
    "file_size" BIGINT NOT NULL,
    "begun_by" TEXT NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT transaction_timestamp(),
    "brought" INTEGER NOT NULL DEFAULT 0,
    "finished_at" TIMESTAMPTZ(3),
    "undone_at" TIMESTAMPTZ(3),

    CONSTRAINT "imports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "imported_rows" (
    "guild_id" TEXT NOT NULL,
    "source" "ImportSource" NOT NULL,
    "external_id" TEXT NOT NULL,
    "import_id" TEXT NOT NULL,
    "record_id" TEXT,

    CONSTRAINT "imported_rows_pkey" PRIMARY KEY ("guild_id","source","external_id")
);

-- CreateIndex
CREATE INDEX "imports_guild_id_id_idx" ON "imports"("guild_id", "id");

-- CreateIndex
CREATE INDEX "imported_rows_import_id_idx" ON "imported_rows"("import_id");

-- AddForeignKey
ALTER TABLE "imported_rows" ADD CONSTRAINT "imported_rows_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;
