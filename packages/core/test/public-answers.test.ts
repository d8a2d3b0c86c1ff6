import { expect, test } from 'vitest';
import { isPublicAnswer, OPERATION_NAMES, PUBLIC_ANSWERS, PublicAnswers } from '#src/index.ts';

test('what can be answered for everybody are operations, and of the others none can', () => {
  for (const name of PUBLIC_ANSWERS) expect(OPERATION_NAMES).toContain(name);
  expect(OPERATION_NAMES.filter(isPublicAnswer).sort()).toEqual([...PUBLIC_ANSWERS].sort());
  expect(PUBLIC_ANSWERS).toContain('bans.add');
  expect(['bans.list', 'notes.add', 'nothing'].some(isPublicAnswer)).toBe(false);
});

test('a guild chooses none, some or all of them, each once', () => {
  for (const chosen of [[], ['bans.add', 'members.kick'], [...PUBLIC_ANSWERS]]) {
    expect(PublicAnswers.parse(chosen)).toEqual(chosen);
  }
  expect(PublicAnswers.safeParse(['bans.list']).success).toBe(false);
  expect(PublicAnswers.safeParse(['bans.add', 'bans.add']).error?.issues[0]?.message).toBe(
    'must name each of them once',
  );
});
