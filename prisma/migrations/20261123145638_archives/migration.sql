-- AlterEnum
ALTER TYPE "EvidenceProblem" ADD VALUE 'elsewhere';

-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "brought_bytes" BIGINT NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "imported_rows_record_id_idx" ON "imported_rows"("record_id");
