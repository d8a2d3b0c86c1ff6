import type { Store } from '#src/store.ts';
import type { Terminal } from '#src/terminal.ts';

/** Everything that commands need from their surroundings. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly terminal: Terminal;
}
