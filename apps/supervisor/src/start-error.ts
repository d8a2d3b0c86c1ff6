import { ConfigurationError, EX_CONFIG } from '@bailiff/core/configuration-error';

/** The error for something that did not start. Its message is for the person at the terminal and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** With what the start ends. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How a start that failed ends: the message of an error that is meant for people, and the stack of any other error. */
export function endedBy(error: unknown): { readonly exitCode: number; readonly message: string } {
  if (error instanceof ConfigurationError) return { exitCode: EX_CONFIG, message: error.message };
  if (error instanceof StartError) return { exitCode: error.exitCode, message: error.message };
  return { exitCode: 1, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
