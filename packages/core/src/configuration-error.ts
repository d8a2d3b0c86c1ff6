/** Exit code of a process whose configuration is wrong: starting it again would not help (sysexits.h). */
export const EX_CONFIG = 78;

/** An environment variable whose value cannot be used. */
export interface ConfigurationProblem {
  readonly variable: string;
  /** One sentence: it begins with the variable and says what to do. */
  readonly message: string;
}

/** A configuration that cannot be used. The message is for the operator and has one line for each problem. */
export class ConfigurationError extends Error {
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    const lines = problems.map(({ message }) => `  ${message}`);
    super(
      [
        'Bailiff cannot start with this configuration:',
        ...lines,
        '.env.example explains every variable.',
      ].join('\n'),
    );
    this.name = 'ConfigurationError';
    this.problems = problems;
  }
}
