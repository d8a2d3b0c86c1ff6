-- AlterEnum
ALTER TYPE "MeasureKind" ADD VALUE 'role';
