/** The error for something that did not start. Its message is for the person at the terminal and says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
