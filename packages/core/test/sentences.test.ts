import { expect, test } from 'vitest';
import {
  canBeDestructive,
  entryOf,
  exampleId,
  type InputOf,
  OPERATION_NAMES,
  type OperationName,
  type SentenceFormatter,
} from '#src/index.ts';
import { CHANNEL, SAMPLES, USER } from '#src/testing-samples.ts';

/** Shows which kind of value each one was given as. */
const say: SentenceFormatter = {
  name: (kind, id) => `the ${kind} ${id}`,
  quote: (text) => (text === undefined ? '' : `“${text}”`),
  length: (amount, unit) => `${amount} × ${unit}`,
};

function partsOf<N extends OperationName>(name: N, input: InputOf<N>): unknown {
  return entryOf(name).sentence?.(input, say);
}

const user = `the user ${USER}`;
const strike = `the strike ${exampleId('strike')}`;
const warning = `the warning ${exampleId('warning')}`;
const action = exampleId('action');
const server = `the server ${exampleId('server')}`;
const channel = `the channel ${CHANNEL}`;
const NO_REASON = { reasoned: 'no', reason: '' };

/** What the sentence says of the example, and how that changes for the shortest call. */
const SENTENCES: readonly (readonly [OperationName, object, object])[] = [
  [
    'strikes.add',
    {
      ...{ severity: 'minor', user, reason: '“Griefing in the market square”' },
      ...{ hasPlayer: 'yes', player: '“Blockbreaker”' },
      ...{ hasInGameId: 'no', inGameId: '' },
      ...{ hasCategory: 'yes', category: '“griefing”' },
    },
    { hasPlayer: 'no', player: '', hasCategory: 'no', category: '' },
  ],
  [
    'strikes.change',
    { strike, severity: 'major', reasoned: 'yes', reason: '“It was the third house”' },
    NO_REASON,
  ],
  ['strikes.remove', { strike, reasoned: 'yes', reason: '“Appeal accepted”' }, NO_REASON],
  [
    'warnings.add',
    { user, reason: '“Please keep the language friendly”', hasCategory: 'yes', category: '“language”' },
    { hasCategory: 'no', category: '' },
  ],
  ['warnings.remove', { warning, reasoned: 'yes', reason: '“Meant for somebody else”' }, NO_REASON],
  [
    'bans.add',
    {
      ...{ user, reason: '“Spam after two strikes”', permanent: 'no', length: '10080 × minute' },
      ...{ deletes: 'yes', deleted: '3600 × second' },
    },
    { permanent: 'yes', length: '0 × minute', deletes: 'no', deleted: '0 × second' },
  ],
  [
    'bans.soft',
    { user, deleted: '3600 × second', reason: '“Hacked account”' },
    { deleted: '86400 × second' },
  ],
  [
    'bans.change',
    {
      ...{ user, permanent: 'no', length: '20160 × minute' },
      ...{ reasoned: 'yes', reason: '“Came back with another account”' },
    },
    { permanent: 'yes', length: '0 × minute', ...NO_REASON },
  ],
  ['bans.lift', { user, reasoned: 'yes', reason: '“Appeal accepted”' }, NO_REASON],
  ['mutes.add', { user, length: '2880 × minute', reason: '“Insults in general”' }, {}],
  [
    'mutes.change',
    { user, length: '1440 × minute', reasoned: 'yes', reason: '“A day is enough”' },
    NO_REASON,
  ],
  ['mutes.lift', { user, reasoned: 'yes', reason: '“Apologised”' }, NO_REASON],
  [
    'messages.purge',
    {
      ...{ count: 50, channel, hasUser: 'yes', user, hasText: 'yes', text: '“free nitro”' },
      ...{ botsOnly: 'no', withPinned: 'no', hasBefore: 'no', before: '', hasAfter: 'no', after: '' },
      ...{ reasoned: 'yes', reason: '“Scam links”' },
    },
    { hasUser: 'no', user: 'the user ', hasText: 'no', text: '', ...NO_REASON },
  ],
  [
    'channels.lockdown',
    { permanent: 'no', length: '60 × minute', reasoned: 'yes', reason: '“Raid”' },
    { permanent: 'yes', length: '0 × minute', ...NO_REASON },
  ],
  [
    'bans.many',
    {
      ...{ count: 500, id: action, reason: '“Raid”', permanent: 'no', length: '10080 × minute' },
      ...{ deletes: 'yes', deleted: '3600 × second' },
    },
    { permanent: 'yes', length: '0 × minute', deletes: 'no', deleted: '0 × second' },
  ],
  ['bans.undo', { id: action, reasoned: 'yes', reason: '“The wrong role”' }, NO_REASON],
  ['mutes.many', { count: 500, id: action, reason: '“Raid”', length: '60 × minute' }, {}],
  ['mutes.undo', { id: action, reasoned: 'yes', reason: '“The wrong role”' }, NO_REASON],
  [
    'appeals.refuse',
    {
      appeal: `the appeal ${exampleId('appeal')}`,
      ...{ replied: 'yes', reply: '“You may appeal again after a month.”' },
    },
    { replied: 'no', reply: '' },
  ],
  [
    'reports.close',
    {
      report: `the report ${exampleId('report')}`,
      ...{ answered: 'yes', answer: '“Thank you. We have warned them.”' },
    },
    { answered: 'no', answer: '' },
  ],
  ['servers.rcon', { server, command: '“say The server restarts in five minutes”' }, {}],
  ['servers.sanction', { does: 'ban', user, server, identity: exampleId('identity'), number: '42' }, {}],
  ['members.kick', { user, reason: '“Second account of a banned user”' }, {}],
];

test.each(SENTENCES)('before approving %s the owner reads every field of the call', (name, full, least) => {
  const { input, example } = entryOf(name);
  expect(partsOf(name, input.parse(example.input))).toEqual(full);
  expect(partsOf(name, SAMPLES[name])).toEqual({ ...full, ...least });
});

test('every operation that an owner can be asked to approve is described', () => {
  expect(SENTENCES.map(([name]) => name).sort()).toEqual(OPERATION_NAMES.filter(canBeDestructive).sort());
});

test('the owner reads what only some purges and strikes say', () => {
  const purge = { ...SAMPLES['messages.purge'], bots_only: true, include_pinned: true };
  const bounds = { after: '2026-01-01T00:00:00Z', before: '678901234567890123' };
  expect(partsOf('messages.purge', { ...purge, ...bounds })).toMatchObject({
    ...{ botsOnly: 'yes', withPinned: 'yes', hasBefore: 'yes', hasAfter: 'yes' },
    ...bounds,
  });
  expect(partsOf('messages.purge', { ...purge, bots_only: false })).toMatchObject({ botsOnly: 'no' });
  expect(partsOf('strikes.add', { ...SAMPLES['strikes.add'], in_game_id: '7' })).toMatchObject({
    ...{ hasInGameId: 'yes', inGameId: '“7”' },
  });
});
