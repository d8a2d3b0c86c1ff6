import type { ServerProblem } from '@bailiff/core';

/** A game server could not be used. The message is for people who read English. */
export class ServerUnusable extends Error {
  readonly problem: ServerProblem;

  constructor(problem: ServerProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
