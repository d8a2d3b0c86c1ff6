import type { Locator } from '@playwright/test';

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';
/** What differs between two runs of the same story, and what stands for it. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b(?:localhost|127\.0\.0\.1):\d+/g, 'HOST'],
  [/"\d{5}"/g, '"PORT"'],
  [/\b([a-z]{3})_(?:[0-9a-f]{32}\b|[0-9a-f]{8}…)/g, '$1_ID'],
  [/\b[0-9a-f]{64}\b/g, 'SHA256'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\bsvcpat_…\w{4}/g, 'svcpat_…LAST'],
  [/\b\d{17,20}\b/g, 'ID'],
  [/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?/g, 'DATE'],
  [new RegExp(`\\b(?:${MONTH} \\d{1,2}|\\d{1,2} ${MONTH})(?:,? \\d{4})?\\b`, 'g'), 'DATE'],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?:\s?[AP]M)?/g, 'TIME'],
  [/\b(?:\d+ \w+ ago|yesterday|last (?:week|month|quarter|year))\b/g, 'now'],
  [/\b\d+ ms\b/g, 'SHORT'],
];

/**
 * The title of a page, and what a part of it says as a tree of roles, names and addresses, without what differs between
 * two runs.
 */
export async function contentsOf(part: Locator): Promise<string> {
  const tree = `# ${await part.page().title()}\n${await part.ariaSnapshot()}`;
  return `${CHANGING.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), tree)}\n`;
}
