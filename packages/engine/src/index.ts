export { forbidden, notFound } from './action-errors.ts';
export { type Action, type ActionError, actionWire, getAction } from './actions.ts';
export { type AdmittedToken, admit, type Balances, liveCapabilities, liveMember } from './admission.ts';
export { type Authorized, authorize, authorizePerson, type TokenCall } from './authorize.ts';
export {
  banWire,
  CASE_COLUMNS,
  type CaseKind,
  type CaseRow,
  endCase,
  endCasesOf,
  muteWire,
  type NewCase,
  only,
  openCase,
  strikeWire,
} from './cases.ts';
export { databaseUnavailable, isDatabaseUnavailable } from './database-errors.ts';
export { DEADLINES, type Engine } from './engine.ts';
export {
  type ClaimedAction,
  type Log,
  type Performer,
  type Performers,
  performAction,
  recoverActions,
  renewLease,
  settleAction,
} from './perform.ts';
export { type Answer, performCall, performForPerson } from './perform-call.ts';
export { isRead, performRead, type ReadCall } from './read-call.ts';
export type { ReadOperation } from './reads.ts';
export { type Outcome, settle } from './settle.ts';
export type { Actor, WriteCall } from './submit.ts';
export { TICKET_COLUMNS, type TicketRow, ticketWire } from './tickets.ts';
export { inTransaction, type Transaction } from './transaction.ts';
export { type ActionNotice, createWaiters, type Waiter, type Waiters } from './waiters.ts';
