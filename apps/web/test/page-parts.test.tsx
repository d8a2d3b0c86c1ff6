// Parts of pages whose text or links follow from what they are given, rendered as the server renders them.
import { CAPABILITY_PRESETS } from '@bailiff/core';
import type { CaseOrigin } from '@bailiff/engine/cases/case-list';
import type { Namespace } from '@bailiff/messages';
import { translator } from '@bailiff/messages/dashboard';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { outcomeOf } from '#components/audit/outcome-tones.ts';
import { originText } from '#components/cases/case-labels.ts';
import { EndOfCase } from '#components/cases/case-timeline.tsx';
import { MessagesProvider } from '#components/messages-provider.tsx';
import { ticksFor } from '#components/overview/bars.ts';
import { nameOf } from '#components/people/name-of.ts';
import { AlsoInGames, type GamesAnswer, useGamesSummary } from '#components/servers/also-in-games.tsx';
import { QuestionList } from '#components/settings/question-list.tsx';
import { MessageText } from '#components/tickets/message-text.tsx';
import { AllowlistField } from '#components/tokens/allowlist-field.tsx';
import { TokenFields } from '#components/tokens/token-fields.tsx';
import { Countdown } from '#components/ui/countdown.tsx';
import { relative } from '#components/ui/relative-time.tsx';
import { compiledPageMessages } from '#src/page-messages.ts';

const BEN = '300000000000000002';

const CREW = '400000000000000002';

const inPage = (part: ReactNode, ...namespaces: Namespace[]) =>
  renderToStaticMarkup(
    <MessagesProvider locale="en" namespaces={namespaces} compiled={compiledPageMessages('en', namespaces)}>
      {part}
    </MessagesProvider>,
  );

const rendered = (text: string) =>
  inPage(
    <MessageText text={text} mentioned={{ people: { [BEN]: 'Ben' }, roles: { [CREW]: 'Crew' } }} />,
    'ui',
  );

/** The texts of the buttons. */
const buttonsIn = (html: string) =>
  Array.from(html.matchAll(/<button[^>]*>(.*?)<\/button>/g), ([, text = '']) => text.replace(/<[^>]*>/g, ''));

test('a link that somebody wrote opens beside the page, which it can neither reach nor learn of', () => {
  const [, attributes = ''] = rendered('See https://example.org/a?b=1.').match(/<a ([^>]*)>/) ?? [];
  expect(attributes).toContain('href="https://example.org/a?b=1"');
  expect(attributes).toContain('target="_blank"');
  expect(attributes).toContain('rel="noopener noreferrer nofollow"');
});

test('what somebody wrote is text, and no address but one of the web is a link', () => {
  const html = rendered('<img src=x onerror=alert(1)> javascript:alert(1) [a](javascript:alert(1))');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(html).not.toMatch(/<img|<a /);
});

test.each([
  ['en', 0, 'now'],
  ['en', 9, 'now'],
  ['en', 45, 'in 45 seconds'],
  ['en', -45, '45 seconds ago'],
  ['en', -60, '1 minute ago'],
  ['en', 3_600, 'in 1 hour'],
  ['en', -90 * 60, '1 hour ago'],
  ['en', 86_400, 'in 1 day'],
  ['en', 25 * 3_600, 'in 1 day'],
  ['en', -25 * 3_600, '1 day ago'],
  ['de', 59 * 3_600, 'in 2 Tagen'],
  ['de', -59 * 3_600, 'vor 2 Tagen'],
  ['en', -365 * 86_400, '1 year ago'],
  ['en', 400 * 86_400, 'in 1 year'],
  ['de', 0, 'jetzt'],
])(
  'in %s a moment %i seconds from now is told by its distance and names no day: %s',
  (locale, seconds, said) => {
    const now = Date.UTC(2026, 10, 23, 12);
    expect(relative(now + seconds * 1000, now, locale)).toBe(said);
  },
);

test('a mention is shown by its name, and by its id where that is not known', () => {
  const html = rendered(`<@${BEN}> <@300000000000000009> <@&400000000000000001> <#500000000000000001>`);
  expect(html.replace(/<[^>]*>/g, '')).toBe(
    '@Ben @300000000000000009 @400000000000000001 #500000000000000001',
  );
});

test.each([
  ['**a**', '<strong>a</strong>'],
  ['*a*', '<em>a</em>'],
  ['__a__', '<u>a</u>'],
  ['~~a~~', '<s>a</s>'],
  ['||a||', '<span>a</span>'],
  ['> a', '<blockquote>a</blockquote>'],
  ['`a`', '<code>a</code>'],
])('what somebody marked as %s looks as in Discord', (text, html) => {
  expect(rendered(text).replace(/ class="[^"]*"/g, '')).toContain(html);
});

test('a role that is mentioned is shown by its name', () => {
  expect(rendered(`<@&${CREW}>`).replace(/<[^>]*>/g, '')).toBe('@Crew');
});

test.each([
  [3_665_000, '1:01:05'],
  [599_001, '10:00'],
  [59_000, '0:59'],
  [0, '0:00'],
])('with %i ms left a clock shows %s', (leftMs, shown) => {
  expect(inPage(<Countdown leftMs={leftMs} />).replace(/<[^>]*>/g, '')).toBe(shown);
});

test.each([
  [
    ['members.read', 'bans.read', 'bans.write'],
    ['Read only', 'Everything'],
  ],
  [['members.read', 'bans.read'], ['Everything']],
  [['bans.write'], []],
] as const)('of %j a token is offered the choices that differ: %j', (capabilities, offered) => {
  const html = inPage(
    <TokenFields
      guild={null}
      capabilities={capabilities}
      presets={CAPABILITY_PRESETS}
      chosen={[]}
      onChosen={() => {}}
      capabilitiesHint=""
      addresses={{ myAddress: null }}
      failure={null}
    />,
    ...(['tokens', 'capabilities', 'common', 'ui'] as const),
  );
  expect(buttonsIn(html)).toEqual(offered);
});

test.each([
  [{ myAddress: '203.0.113.7' }, ['Add my address (203.0.113.7)']],
  [{ myAddress: '203.0.113.7', clientAddress: '198.51.100.4' }, ['Add the client’s address (198.51.100.4)']],
  [{ myAddress: null, clientAddress: '198.51.100.4' }, []],
])('with the addresses %j a token is offered that of its client, if it has one', (addresses, offered) => {
  expect(buttonsIn(inPage(<AllowlistField {...addresses} failure={null} />, 'tokens', 'ui'))).toEqual(
    offered,
  );
});

test('nobody types a longer question than Bailiff accepts', () => {
  const html = inPage(
    <QuestionList
      questions={['Who are you in the game?']}
      most={4}
      mostCharacters={200}
      labels={{ title: '', question: String, remove: String, add: '' }}
      issueOf={() => undefined}
      onChange={() => {}}
    />,
    'settings',
  );
  expect(html).toMatch(/<input [^>]*maxLength="200"/);
});

type Told = NonNullable<GamesAnswer['game_servers']>[number]['outcome'];

/** What is said of game servers, behind how it is said. */
function SaidOfGames({ outcomes }: { outcomes: readonly Told[] }) {
  const said = useGamesSummary()({ game_servers: outcomes.map((outcome) => ({ outcome })) });
  return said && `${said.tone}: ${said.text}`;
}

test.each([
  [[], ''],
  [['done', 'done'], 'good: Sent to 2 of 2 game servers.'],
  [['done', 'failed', 'unknown', 'not_tried'], 'bad: Sent to 1 of 4 game servers.'],
] as const)('what became of it on game servers, %j, is no good news unless all did it', (outcomes, said) => {
  expect(inPage(<SaidOfGames outcomes={outcomes} />, 'games').replace(/ The case .*/, '')).toBe(said);
});

test('who is asked about game servers reads all of them, and who somebody is there', () => {
  const places = ['Survival', 'Creative'].map((server) => ({ server, player: `Ben in ${server}` }));
  const asked = (at: typeof places) =>
    inPage(<AlsoInGames places={at} checked={false} onChange={() => {}} />, 'games', 'ui');
  expect(asked(places)).toContain('>Survival as Ben in Survival and Creative as Ben in Creative<');
  expect(asked([])).toBe('');
});

test.each([
  [[0], [0, 1, 2, 3, 4]],
  [[4], [0, 1, 2, 3, 4]],
  [[5], [0, 2, 4, 6]],
  [
    [3, 6],
    [0, 5, 10],
  ],
  [[81], [0, 50, 100]],
  [[1_000], [0, 500, 1_000]],
  [[1_001], [0, 500, 1_000, 1_500]],
])('the scale of a chart reaches the highest bar %j', (values, ticks) => {
  expect(ticksFor([{ values: [1] }, { values }])).toEqual(ticks);
});

const ORIGIN: CaseOrigin = { source: null, byHand: false, tokenName: null, address: null, requestId: null };

test.each([
  [{ byHand: true }, 'by hand in Discord'],
  [{}, 'from where is not on record'],
  [{ source: 'token', tokenName: 'anticheat' }, 'with the token anticheat'],
  [{ source: 'dashboard' }, 'in the dashboard'],
  [{ source: 'operator' }, 'by the operator'],
  [{ source: 'dashboard', address: '203.0.113.9' }, 'in the dashboard, from 203.0.113.9'],
] as const)('where a case comes from: %j', (origin, words) => {
  expect(originText(translator('en', 'cases'), { ...ORIGIN, ...origin })).toBe(words);
});

const ENDED = new Date('2026-11-23T12:00:00Z');
const MUTE = { kind: 'mute', ended_by: BEN, end_reason: 'Heard', end_failed_at: null } as const;

test.each([
  ['goes on', { active: true, expires_at: null, ended_at: null }, null, null],
  ['runs out', { active: true, expires_at: ENDED, ended_at: null }, null, 'It ends by itself'],
  ['ran out', { active: false, expires_at: ENDED, ended_at: null }, null, 'It ended by itself'],
  ['was lifted', { active: false, expires_at: null, ended_at: ENDED }, null, 'Mute lifted by Ben'],
  ['was replaced', { active: false, expires_at: null, ended_at: ENDED }, 7, 'Replaced by #7'],
] as const)('the timeline of a mute says that it %s', (_, row, replacedBy, title) => {
  const html = inPage(
    <EndOfCase
      row={{ ...MUTE, ...row }}
      ended={null}
      replacedBy={replacedBy}
      people={{ guildId: '1', names: { [BEN]: 'Ben' }, linked: false }}
      t={translator('en', 'cases')}
      say={translator('en', 'operations')}
    />,
    'ui',
  );
  expect(/<p [^>]*>(.*?)<\/p>/.exec(html)?.[1]?.replace(/<[^>]*>/g, '') ?? null).toBe(title);
  if (replacedBy !== null) expect(html).toContain(`href="/guilds/1/cases/${replacedBy}"`);
});

test('a call that waits for approval is not shown as refused', () => {
  expect(outcomeOf({ outcome: 'refused', code: 'RE_AUTH_REQUIRED' })).toEqual({
    word: 'needsApproval',
    tone: 'warn',
  });
  expect(outcomeOf({ outcome: 'refused', code: 'FORBIDDEN' })).toEqual({ word: 'refused', tone: 'bad' });
});

test('a person is shown under their name in the guild, else under their user name, else by their id', () => {
  const person = { user_id: BEN, username: 'ben', display_name: 'Ben of the Guild' } as Parameters<
    typeof nameOf
  >[0];
  expect(nameOf(person)).toBe('Ben of the Guild');
  expect(nameOf({ ...person, display_name: null })).toBe('ben');
  expect(nameOf({ ...person, display_name: null, username: null })).toBe(BEN);
});
