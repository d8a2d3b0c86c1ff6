import { verifies } from '@bailiff/core/testing';
import { describe, expect, it } from 'vitest';
import type { AuditParameters } from '#src/audit-query.ts';
import type { AuditRow } from '#src/audit-row.ts';
import { newestAudit, rememberAudit } from '#src/newest-audit.ts';

/** A row of a call, written that many seconds after the first one. */
function row(second: number, outcome: AuditRow['outcome'], call: string | null = null): AuditRow {
  const at = new Date(Date.UTC(2026, 10, 22) + second * 1_000).toISOString();
  return {
    id: `aud_${String(second).padStart(32, '0')}`,
    at,
    lastAt: at,
    count: 1,
    isRead: false,
    actorSource: 'chat',
    actorUserId: '300000000000000002',
    actorName: 'Ben',
    tokenId: null,
    tokenName: null,
    operation: 'strikes.add',
    targetType: null,
    targetId: null,
    targetName: null,
    outcome,
    code: null,
    requestId: null,
    address: null,
    actionId: call,
  };
}

/** What an open page shows that was rendered with these rows, newest first, and then hears of others. */
function shownAfter(
  rows: readonly AuditRow[],
  news: readonly AuditRow[][],
  most: number,
  given: AuditParameters = {},
) {
  const list = { rows, given, most };
  let heard: readonly AuditRow[] = [];
  for (const each of news) heard = rememberAudit(heard, each, list);
  const { shown, hasMore } = newestAudit(heard, list);
  return {
    hasMore,
    shown: shown.map(({ actionId, id, outcome }) => `${actionId ?? Number(id.slice(4))} ${outcome}`),
  };
}

describe('the newest rows of the audit log in an open page', () => {
  it('have the outcome of a call at its own time, and not at that of its request', () => {
    verifies('audit.one-row-per-call');
    const rows = [row(3, 'performed'), row(2, 'performed'), row(1, 'requested', 'ban')];
    expect(shownAfter(rows, [[row(4, 'performed', 'ban')]], 2).shown).toEqual([
      'ban performed',
      '3 performed',
    ]);
  });

  it('lose a call that is listed as requested once it has ended', () => {
    verifies('audit.one-row-per-call');
    const rows = [row(2, 'requested', 'mute'), row(1, 'requested', 'ban')];
    const news = [[row(3, 'requested', 'kick')], [row(4, 'performed', 'kick'), row(5, 'failed', 'ban')]];
    expect(shownAfter(rows, news, 10, { outcome: 'requested' }).shown).toEqual(['mute requested']);
  });

  it('keep a call that ended out of the list, however many others come after it', () => {
    verifies('audit.one-row-per-call');
    const rows = [row(2, 'requested', 'mute'), row(1, 'requested', 'ban')];
    const later = Array.from({ length: 9 }, (_, index) => [
      row(4 + 2 * index, 'requested', `call ${index}`),
      row(5 + 2 * index, 'performed', `call ${index}`),
    ]);
    const news = [[row(3, 'performed', 'ban')], ...later];
    expect(shownAfter(rows, news, 2, { outcome: 'requested' }).shown).toEqual(['mute requested']);
  });

  it('are said to be more than are shown once new ones take the place of older ones', () => {
    verifies('audit.list.page');
    const rows = [row(2, 'performed'), row(1, 'performed')];
    expect(shownAfter(rows, [], 2)).toEqual({ shown: ['2 performed', '1 performed'], hasMore: false });
    const full = { shown: ['3 performed', '2 performed'], hasMore: true };
    expect(shownAfter(rows, [[row(3, 'performed')]], 2)).toEqual(full);
    const news = [[row(1, 'performed')], [row(2, 'performed')], [row(3, 'performed')]];
    expect(shownAfter([], news, 2)).toEqual(full);
  });
});
