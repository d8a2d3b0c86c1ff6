// The calls that wait for approval, and what binds an answer about one of them to it.
import { verifies } from '@bailiff/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ApprovalRound } from '#src/approval-round.ts';
import { Approvals } from '#src/approvals.ts';
import { refusal, USER } from './support.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
const waiting = (name: string) => ({
  approval_id: `apr_${name}`,
  tool: 'ban_user',
  sentence: `Ban ${name}`,
  reauth_url: `https://bailiff.test/${name}`,
});
const idsIn = (approvals: Approvals, now: Date) => approvals.list(now).map(({ approval_id }) => approval_id);

test('a call with a new request goes to the end of the list, and lapses an hour after that', () => {
  const approvals = new Approvals();
  approvals.add('one', waiting('one'), NOW);
  approvals.add('two', waiting('two'), later(10));
  approvals.add('one', waiting('one-again'), later(20));
  expect(idsIn(approvals, later(30))).toEqual(['apr_two', 'apr_one-again']);
  expect(idsIn(approvals, later(70))).toEqual(['apr_one-again']);
  expect(idsIn(approvals, later(80))).toEqual([]);
});

test('a request that is still the same lapses an hour after it was first asked, however often it is asked again', () => {
  const approvals = new Approvals();
  approvals.add('one', waiting('one'), NOW);
  approvals.add('two', waiting('two'), later(10));
  approvals.add('one', waiting('one'), later(50));
  const [, one] = approvals.list(later(50));
  expect(one).toMatchObject({
    approval_id: 'apr_one',
    asked_at: NOW.toISOString(),
    lapses_at: later(60).toISOString(),
  });
  expect(idsIn(approvals, later(60))).toEqual(['apr_two']);
});

test('of more than fifty calls the one that was asked about longest ago is left out', () => {
  const approvals = new Approvals();
  for (let n = 0; n < 50; n += 1) approvals.add(`call ${n}`, waiting(String(n)), NOW);
  approvals.add('call 0', waiting('0'), NOW);
  approvals.add('call 50', waiting('50'), NOW);
  const ids = idsIn(approvals, NOW);
  expect(ids).toHaveLength(50);
  expect(ids).not.toContain('apr_1');
  expect(ids.slice(-2)).toEqual(['apr_0', 'apr_50']);
});

/** What a client that opens addresses gets about a call that needs an approval. */
function askedAbout(round: ApprovalRound, call: { name: string; args: object }) {
  const { body } = refusal(403, 'RE_AUTH_REQUIRED', false, {
    reauth_url: 'https://bailiff.test/guilds/1/approvals',
    approval_id: 'apr_1',
  });
  return round.ask(body as never, call, { elicitation: { url: {} } });
}

test('what a client was asked about can be answered for the hour that the request lives, and no longer', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  onTestFinished(() => void vi.useRealTimers());
  const round = new ApprovalRound();
  const asked = await askedAbout(round, { name: 'ban_user', args: { user_id: USER } });
  const answered = async () => round.verify(String(asked?.requestState), {} as never);
  vi.setSystemTime(later(59));
  await answered();
  vi.setSystemTime(later(61));
  await expect(answered()).rejects.toThrow();
});

test.each([
  ['other arguments', { name: 'ban_user', args: { user_id: USER, reason: 'Something else' } }, 'first'],
  ['another tool', { name: 'kick_user', args: { user_id: USER, reason: 'Griefing' } }, 'first'],
  ['the same in another order', { name: 'ban_user', args: { reason: 'Griefing', user_id: USER } }, 'again'],
])('what the operator accepted about a call counts for %s only as it should', async (_what, other, kind) => {
  verifies('mcp.stop-on-reauth');
  const round = new ApprovalRound();
  const call = { name: 'ban_user', args: { user_id: USER, reason: 'Griefing' } };
  const asked = await askedAbout(round, call);
  const state = await round.verify(String(asked?.requestState), {} as never);
  const context = {
    mcpReq: { requestState: () => state, inputResponses: { approval: { action: 'accept' } } },
  };
  expect(round.answered(context as never, call)).toEqual({ kind: 'again' });
  expect(round.answered(context as never, other).kind).toBe(kind);
});
