export type { Approval, ApprovalOptions, AskedApproval } from './approval.ts';
export {
  type Answer,
  BailiffClient,
  type BulkOptions,
  type BulkResult,
  type CallOptions,
  type ClientOptions,
  type ListOperation,
} from './client.ts';
export type { Environment } from './environment.ts';
export { BailiffError, type FailureCode } from './error.ts';
export type * from './operations.ts';
