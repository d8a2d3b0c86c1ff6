import { ConfigurationError, EX_CONFIG } from '@bailiff/core';

/** The error for something that did not start. Its message is for the person at the terminal and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How a start that failed ends: the message of an error that is meant for people, and the stack of any other error. */
export function endedBy(error: unknown): { readonly exitCode: number; readonly message: string } {
  const exitCode = error instanceof ConfigurationError ? EX_CONFIG : 1;
  const isForPeople = error instanceof ConfigurationError || error instanceof StartError;
  const message = isForPeople || !(error instanceof Error) ? reasonOf(error) : (error.stack ?? error.message);
  return { exitCode, message };
}
