import { BOT_PERMISSIONS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { escalationPolicy, escalationWire } from '@bailiff/engine/cases/escalation';
import { listPresets } from '@bailiff/engine/cases/presets';
import type { SeededGuild } from '@bailiff/engine/testing';
import { LOCALES } from '@bailiff/messages';
import { expect, it } from 'vitest';
import { FIRST_STEPS, isSetUp } from '#src/first-steps.ts';
import { inviteUrl } from '#src/invite.ts';
import { STARTING_ESCALATION } from '#src/starting-escalation.ts';
import { startingReasons } from '#src/starting-reasons.ts';
import { guildForEachTest } from './each-test.ts';
import type { Person, TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

it('the reasons to begin with are accepted as they are, each in the language of its guild', async () => {
  verifies('settings.starting');
  const names = LOCALES.map((locale) => startingReasons(locale).map(({ name }) => name));
  expect(new Set(names.map((each) => each.join())).size).toBe(LOCALES.length);
  for (const locale of LOCALES) {
    for (const reason of startingReasons(locale)) {
      const name = `${reason.name} ${locale}`;
      const added = await owner.call('POST', `/api/guilds/${guild.id}/presets`, { ...reason, name });
      expect(added).toMatchObject({ status: 201, body: { name } });
    }
  }
  const presets = await listPresets(web.db, guild.id);
  expect(presets).toHaveLength(names.flat().length);
  const english = presets.flatMap(({ name, kind, severity, durationMinutes }) =>
    name.endsWith(' en') ? [[name, kind, severity ?? durationMinutes]] : [],
  );
  expect(english).toEqual([
    ['Advertising en', 'strike', 'minor'],
    ['Hate en', 'strike', 'major'],
    ['Insults en', 'strike', 'minor'],
    ['Spam en', 'strike', 'minor'],
    ['Scam en', 'ban', null],
    ['Pause en', 'mute', 60],
  ]);
});

it('the escalation to begin with is accepted as it is', async () => {
  verifies('settings.starting');
  const put = await owner.call('PUT', `/api/guilds/${guild.id}/escalation`, STARTING_ESCALATION);
  expect(put.status).toBe(200);
  expect(escalationWire(await escalationPolicy(web.db, guild.id))).toEqual(STARTING_ESCALATION);
});

it('a guild is set up once every step is done but that of a token', () => {
  verifies('dashboard.first-steps');
  const needed = FIRST_STEPS.map(({ name }) => name).filter((name) => name !== 'token');
  expect(isSetUp(needed)).toBe(true);
  for (const left of needed)
    expect(isSetUp(FIRST_STEPS.map(({ name }) => name).filter((name) => name !== left))).toBe(false);
});

it('who adds the bot is asked for its commands and for the permissions that it uses', () => {
  const url = new URL(inviteUrl({ discordApiUrl: 'https://discord.test/api', discordClientId: '42' }));
  expect(url.origin + url.pathname).toBe('https://discord.test/api/oauth2/authorize');
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: '42',
    scope: 'bot applications.commands',
    permissions: String(BOT_PERMISSIONS),
  });
});
