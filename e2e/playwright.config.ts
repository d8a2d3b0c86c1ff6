import { defineConfig } from '@playwright/test';
import { chromiumOptions } from './src/chromium.ts';

/** Here answers have bounds in time, under load: nothing else runs beside them. */
const ALONE = ['database-away', 'killed-web-process', 'two-processes'].map(
  (name) => `**/test/faults/${name}.test.ts`,
);

/** They take longest, so they begin first. Each starts what it needs. */
const LONGEST = ['accessibility', 'lifecycle', 'mcp', 'rotation'].map((name) => `**/test/${name}.test.ts`);

/** Only ends what hangs: a busy machine may take many seconds for one step. */
const STEP_MS = 90_000;

export default defineConfig({
  testDir: 'test',
  outputDir: 'results',
  snapshotPathTemplate: 'contents/{arg}{ext}',
  globalSetup: './src/build.ts',
  timeout: 600_000,
  expect: { timeout: STEP_MS },
  retries: 0,
  // Each waits for pages and processes about half of its time.
  workers: 3,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    actionTimeout: STEP_MS,
    navigationTimeout: STEP_MS,
    // Without a picture of every frame, which Chromium, drawing without a graphics card, spends a third of its time on.
    trace: { mode: 'retain-on-failure', screenshots: false },
    screenshot: 'only-on-failure',
    launchOptions: await chromiumOptions(),
  },
  projects: [
    { name: 'longest', testMatch: LONGEST, teardown: 'alone' },
    { name: 'journeys', testIgnore: [...ALONE, ...LONGEST], teardown: 'alone' },
    // Comes after the others as their teardown, because a project that depended on them would be left out if one of
    // their tests fails.
    { name: 'alone', testMatch: ALONE, workers: 1 },
  ],
});
