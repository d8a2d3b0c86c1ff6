import { verifies } from '@bailiff/core/testing';
import { RESTJSONErrorCodes as Code } from 'discord.js';
import { expect, test } from 'vitest';
import { readConfig } from '#src/config.ts';
import { refusalBy } from '#src/discord.ts';
import { DiscordFailure } from '#src/discord-api.ts';
import { meaningOf, usualRefusal } from '#src/discord-errors.ts';
import { problemOf as problemOfChannel } from '#src/log-channel.ts';
import { problemOf as problemOfGuild } from '#src/mirrored-guild.ts';
import { SECRETS_KEY } from './harness.ts';

const CODES = [...new Set(Object.values(Code))].filter((code): code is Code => typeof code === 'number');

/** What Discord says when it asks for patience or has an outage, whatever the HTTP status is. */
const PASSING: readonly Code[] = [
  Code.UnknownGuild,
  Code.ActionCannotBePerformedDueToSlowmodeRateLimit,
  Code.ChannelWriteRateLimit,
  Code.ServerWriteRateLimit,
  Code.MaximumNumberOfBanFetchesHasBeenReached,
  Code.MaximumNumberOfEditsToMessagesOlderThanOneHourReached,
  Code.OpeningDirectMessagesTooFast,
  Code.CloudflareIsBlockingYourRequest,
  Code.SendMessagesHasBeenTemporarilyDisabled,
  Code.FeatureTemporarilyDisabledServerSide,
  Code.APIResourceOverloaded,
];

const refused = (status: number, code: number) =>
  new DiscordFailure('refused', 'Discord refused it', { status, code });

test('of all that Discord refuses, only what passes by itself may be tried again', () => {
  verifies('errors.permanent');
  const temporary = CODES.filter((code) => meaningOf(refused(403, code)) === 'temporary');
  // With a 403, no code at all: the edge of Discord sends such pages.
  const passing = [...PASSING, Code.GeneralError];
  expect(temporary.toSorted((a, b) => a - b)).toEqual(passing.toSorted((a, b) => a - b));
  for (const code of CODES) {
    expect(meaningOf(refused(429, code))).toBe('temporary');
    expect(meaningOf(refused(500, code))).toBe('temporary');
  }
});

test('a 404 that names nothing it is about is no proof that something is gone', () => {
  verifies('H22');
  for (const code of [0, undefined, Code.UnknownGuild]) {
    const failure = new DiscordFailure('refused', 'Not Found', {
      status: 404,
      ...(code === undefined ? {} : { code }),
    });
    const details = { outcome: 'not_performed' };
    expect([code, usualRefusal(failure)]).toMatchObject([code, { code: 'UPSTREAM_UNAVAILABLE', details }]);
  }
});

test.each([
  ['a page of the edge', 403, 0],
  ['that Cloudflare blocks the request', 403, Code.CloudflareIsBlockingYourRequest],
])(
  '%s performs nothing, may be tried again, and does not say that a guild is closed to the bot',
  (_, status, code) => {
    verifies('errors.permanent');
    const failure = refused(status, code);
    const { code: kind, details } = usualRefusal(failure);
    expect([kind, details]).toEqual([
      'UPSTREAM_UNAVAILABLE',
      { upstream: 'discord', outcome: 'not_performed' },
    ]);
    expect([problemOfGuild(failure), problemOfChannel(failure)]).toEqual(['no_answer', null]);
    const denied = refused(403, Code.MissingAccess);
    expect([problemOfGuild(denied), problemOfChannel(denied)]).toEqual(['no_access', 'missing_permission']);
  },
);

test('each refusal has a sentence for people, and is no failure of Discord unless it passes or is our mistake', () => {
  verifies('errors.permanent');
  for (const code of CODES) {
    const { code: kind, message, details } = usualRefusal(refused(400, code));
    expect([code, message]).not.toContain('You cannot act on this target.');
    const isOurs = details !== undefined && 'permanent' in details;
    expect([code, kind === 'UPSTREAM_UNAVAILABLE']).toEqual([code, isOurs || PASSING.includes(code)]);
  }
});

test('who is not there is told apart: no such user, or none of the guild', () => {
  const said = [Code.UnknownUser, Code.UnknownMember].map((code) => usualRefusal(refused(404, code)).message);
  expect(said).toEqual(['Discord knows no user with this id.', 'This user is not a member of the guild.']);
});

test('a connection that Discord closes for good says why, and what the operator can do', () => {
  const said = [4004, 4010, 4011, 4012, 4013, 4014, 4999].map((code) => refusalBy(code, false).message);
  expect(said).toEqual([
    expect.stringMatching(/does not accept DISCORD_TOKEN\. .*Bot page/),
    expect.stringMatching(/does not accept the shards of BOT_SHARDS\./),
    expect.stringMatching(/more shards than BOT_SHARDS has/),
    expect.stringMatching(/the version of the gateway/),
    expect.stringMatching(/does not know the intents/),
    expect.stringMatching(/does not allow the Server Members Intent\. .*Bot page/),
    'Discord closed the connection permanently (4999).',
  ]);
});

test('a token may be as long as Discord makes it', () => {
  const environment = {
    DATABASE_URL: 'postgresql://localhost/bailiff',
    DISCORD_TOKEN: 'x'.repeat(400),
    SECRETS_KEY: SECRETS_KEY.toString('base64'),
  };
  expect(readConfig(environment).discordToken).toHaveLength(400);
  expect(() => readConfig({ ...environment, DISCORD_TOKEN: 'Bot x.y.z' })).toThrow(
    'without "Bot " before it',
  );
  expect(() => readConfig({ ...environment, DISCORD_TOKEN: 'x' })).toThrow('too short');
});
