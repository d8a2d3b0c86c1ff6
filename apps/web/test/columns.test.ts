import { verifies } from '@bailiff/core/testing';
import { expect, it } from 'vitest';
import { hiddenColumns, LIST_COLUMNS, shownColumns } from '#src/columns.ts';

it('a list has the columns that were not hidden in this browser, in their order', () => {
  verifies('dashboard.columns');
  const kept = hiddenColumns('cases', ['issued', 'reason', 'kind']);
  expect(shownColumns('cases', kept)).toEqual(['kind', 'reason', 'issued']);
  expect(shownColumns('audit', hiddenColumns('audit', []))).toEqual([]);
});

it.each([undefined, '', 'a column of an older version', '..'])('%o hides no column', (cookie) => {
  verifies('dashboard.columns');
  expect(shownColumns('audit', cookie)).toEqual(LIST_COLUMNS.audit);
});
