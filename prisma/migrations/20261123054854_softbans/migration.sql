-- AlterEnum
ALTER TYPE "CaseKind" ADD VALUE 'softban';
