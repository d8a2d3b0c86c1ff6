import { ConfigurationError, type ConfigurationProblem } from '@bailiff/core';

export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly ConfigurationProblem[] };

/** What `read` returns, or the problems of the ConfigurationError that it throws. */
export function attempt<Value>(read: () => Value): Attempt<Value> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ok: false, problems: error.problems };
  }
}

/** The problems of all attempts. Several of them read the same variables, so each variable is reported only once. */
export function problemsOf(attempts: readonly Attempt<unknown>[]): ConfigurationProblem[] {
  const problems: ConfigurationProblem[] = [];
  for (const result of attempts) {
    if (result.ok) continue;
    const reported = new Set(problems.map(({ variable }) => variable));
    problems.push(...result.problems.filter(({ variable }) => !reported.has(variable)));
  }
  return problems;
}

/** The environment without its empty variables, which count as not set. */
export function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}
