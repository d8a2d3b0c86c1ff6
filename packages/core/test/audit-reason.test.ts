import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ActorSource,
  actionIdInReason,
  auditLogReason,
  exampleId,
  MOST_REASON_CHARACTERS,
} from '#src/index.ts';
import { anyCharacter } from '#src/testing-samples.ts';

const ACTION = exampleId('action');
const token = { source: 'token', name: 'deploy bot' } as const;

test('a reason names the action, the token and why', () => {
  expect(auditLogReason({ reason: 'spam', actor: token, actionId: ACTION })).toBe(
    `[${ACTION}] token "deploy bot": spam`,
  );
  expect(auditLogReason({ reason: null, actor: { source: 'chat', name: 'Ada' }, actionId: ACTION })).toBe(
    `[${ACTION}] chat "Ada"`,
  );
});

test('a reason of several lines becomes one line, and a name of 80 characters stays whole', () => {
  const name = 'n'.repeat(80);
  expect(auditLogReason({ reason: 'spam\nagain', actor: { ...token, name }, actionId: ACTION })).toBe(
    `[${ACTION}] token "${name}": spam again`,
  );
});

test('any reason and name fit in one line of 512 characters that can be sent, and the action is found again', () => {
  const wild = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 600 }),
    fc.constantFrom('\ud800', 'x'.repeat(600), '😀'.repeat(400), '\r\n'),
  );
  const source = fc.constantFrom<ActorSource>('token', 'chat', 'dashboard', 'system', 'operator');
  fc.assert(
    fc.property(wild, wild, source, (reason, name, from) => {
      const text = auditLogReason({ reason, actor: { source: from, name }, actionId: ACTION });
      expect(text.length).toBeLessThanOrEqual(MOST_REASON_CHARACTERS);
      expect(text).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(() => encodeURIComponent(text)).not.toThrow();
      expect(actionIdInReason(text)).toBe(ACTION);
    }),
  );
});

test('the id of another action in a reason or a name is not taken for its own', () => {
  const other = ACTION.replace('0', 'f');
  expect(
    actionIdInReason(
      auditLogReason({
        reason: `[${other}] token`,
        actor: { ...token, name: `[${other}] ` },
        actionId: ACTION,
      }),
    ),
  ).toBe(ACTION);
});

test.each(['', 'spam', ACTION, `spam [${ACTION}] `, `[${ACTION}]`, `[${ACTION}0] x`])(
  '%j names no action',
  (text) => {
    expect(actionIdInReason(text)).toBeNull();
  },
);
