-- AlterEnum
ALTER TYPE "CaseKind" ADD VALUE 'kick';
