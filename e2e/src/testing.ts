// What every end-to-end test imports: the runner, and citations that go into its report.
import { recordVerifications } from '@bailiff/core/testing';
import { test } from '@playwright/test';

export { verifies } from '@bailiff/core/testing';
export { expect, test } from '@playwright/test';

recordVerifications((ids) => {
  for (const description of ids) test.info().annotations.push({ type: 'verifies', description });
});
