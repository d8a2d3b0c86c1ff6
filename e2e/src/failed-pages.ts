// A reporter of Playwright: says what the pages of failed tests showed, which a log of CI has no pictures of.
import { readFile } from 'node:fs/promises';
import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';

const MOST_LINES = 150;

export default class FailedPages implements Reporter {
  readonly #failed: { readonly title: string; readonly path: string }[] = [];

  printsToStdio(): boolean {
    // Other reporters say how the tests go on.
    return false;
  }

  onTestEnd({ title }: TestCase, { attachments }: TestResult): void {
    // It is there once for each error of the test, the same page each time.
    const path = attachments.find(({ name }) => name === 'error-context')?.path;
    if (path !== undefined) this.#failed.push({ title, path });
  }

  async onEnd(): Promise<void> {
    for (const { title, path } of this.#failed) {
      const lines = pageIn(await readFile(path, 'utf8'));
      if (lines === null) continue;
      const left = Math.max(0, lines.length - MOST_LINES);
      const rest = left === 0 ? '' : `\n… and ${left} lines more`;
      process.stdout.write(
        `\nWhen it failed, "${title}" saw:\n${lines.slice(0, MOST_LINES).join('\n')}${rest}\n`,
      );
    }
  }
}

/** The lines of the page's tree in Playwright's description of an error; null if no page was open. */
function pageIn(description: string): string[] | null {
  const [, tree] = /^# Page snapshot\n+```yaml\n(.*?)^```$/ms.exec(description) ?? [];
  return tree === undefined ? null : tree.trimEnd().split('\n');
}
