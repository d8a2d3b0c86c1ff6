import { expect, test } from 'vitest';
import { OPERATION_NAMES, openApiDocument } from '../src/index.ts';

const document = JSON.parse(JSON.stringify(openApiDocument('https://bailiff.example')));

test('the document is the committed one', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(
    '__snapshots__/openapi.json.snap',
  );
});

test('every operation has its path, and every reference its target', () => {
  const operations = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  expect(operations.sort()).toEqual([...OPERATION_NAMES].sort());
  for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = reference.split('/').reduce((node, key) => node?.[key], document);
    expect(target, reference).toBeDefined();
  }
});

test('no answer names a field that could hold a secret', () => {
  expect(JSON.stringify(document.components.schemas)).not.toMatch(/password|secret/i);
});
