import { OPERATIONS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { callTool } from '#src/call-tool.ts';
import { resultOf } from '#src/results.ts';
import { envelopeIn, FarEnd, GUILD, sessionOf, textOf, USER } from './support.ts';

const far = new FarEnd();
beforeAll(() => far.start());
afterAll(() => far.close());
beforeEach(() => far.reset());

const EVERYTHING = { readOnly: false, tools: null };
const SAID = 'The argument userId is now user_id. The next release refuses the former name.';

async function call(name: string, args: object) {
  return resultOf(await callTool(sessionOf(far), EVERYTHING, name, args, new AbortController().signal));
}

test.each([
  ['its present name', { user_id: USER }, false],
  ['its former name, which the result says', { userId: USER }, true],
])('an argument is taken under %s', async (_what, args, isFormer) => {
  verifies('mcp.snake-case');
  far.answer = () => ({ body: OPERATIONS['bans.get'].example.output });
  const result = await call('get_ban', args);
  expect(result.isError).toBeUndefined();
  expect(far.calls.map(({ path }) => path)).toEqual([`/guilds/${GUILD}/bans/${USER}`]);
  expect(textOf(result).includes(SAID)).toBe(isFormer);
});

test('a former name is told with a refusal too', async () => {
  verifies('mcp.snake-case');
  far.answer = () => ({
    status: 404,
    body: {
      error: { code: 'NOT_FOUND', message: 'None.', retryable: false, request_id: 'req_1', details: {} },
    },
  });
  const result = await call('unban_user', { userId: USER, reason: 'Appeal accepted' });
  expect(envelopeIn(result).error.code).toBe('NOT_FOUND');
  expect(textOf(result)).toContain(SAID);
  // The sentinel is the specification's, with the field of the path.
  expect(far.calls[0]?.body).toMatchObject({ _confirmation: `UNBAN USER ${USER} IN GUILD ${GUILD}` });
});

test('both names at once are refused, and a wrong value is told by the present name', async () => {
  verifies('mcp.snake-case');
  const both = await call('get_ban', { userId: USER, user_id: USER });
  expect(envelopeIn(both).error).toMatchObject({ code: 'VALIDATION_FAILED' });
  const wrong = await call('get_ban', { userId: 'mira' });
  expect(envelopeIn(wrong).error.details).toMatchObject({ issues: [{ path: 'user_id' }] });
  expect(far.calls).toEqual([]);
});
