import { defineConfig } from '@playwright/test';
import { chromiumOptions } from './src/chromium.ts';

const TESTS = '**/test/**/*.test.ts';
/** These start what they need, because they break it or spend what others need. */
const OWN = [
  'accessibility',
  'lifecycle',
  'main-job',
  'mcp',
  'operators-documents',
  'origins',
  'rotation',
  'through-next',
].map(pathOf);
/** Here answers have bounds in time, under load: nothing else runs beside them. */
const ALONE = ['faults/*'].map(pathOf);

function pathOf(name: string): string {
  return `**/test/${name}.test.ts`;
}

export default defineConfig({
  testDir: 'test',
  outputDir: 'results',
  globalSetup: './src/shared-instance.ts',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  retries: 0,
  // Each waits for pages and processes about half of its time.
  workers: 3,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    actionTimeout: 15_000,
    navigationTimeout: 15_000,
    // Without a picture of every frame, which Chromium, drawing without a graphics card, spends a third of its time on.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: await chromiumOptions(),
  },
  projects: [
    // One worker: these files share an instance, and follow one another.
    { name: 'shared', testMatch: TESTS, testIgnore: [...OWN, ...ALONE], workers: 1, teardown: 'alone' },
    { name: 'own', testMatch: OWN, teardown: 'alone' },
    // Comes after the others as their teardown, because a project that depended on them would be left out if one of
    // their tests fails.
    { name: 'alone', testMatch: ALONE, workers: 1 },
  ],
});
