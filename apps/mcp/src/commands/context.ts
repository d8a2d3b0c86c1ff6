import type { Store } from '../store.ts';
import type { Terminal } from '../terminal.ts';

/** What every command works with. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  readonly terminal: Terminal;
}
