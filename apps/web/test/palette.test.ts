import { verifies } from '@bailiff/core/testing';
import { describe, expect, it } from 'vitest';
import { type PalettePerson, paletteItems, personWanted } from '#src/palette.ts';

const HUGO = { user_id: '200000000000000001', display_name: 'Hugo', username: 'hugo.b' };
const NAMELESS = { user_id: '200000000000000002', display_name: null, username: null };
const ACTS = [
  { operation: 'bans.add', label: 'Bannir' },
  { operation: 'mutes.add', label: 'Mute' },
];
const OFFERED = {
  base: '/guilds/1',
  pages: [
    { label: 'Réglages', href: '/guilds/1/settings', letter: 's' },
    { label: 'Cases', href: '/guilds/1/cases', letter: 'c' },
  ],
  settings: [{ label: 'Log channel', section: 'Réglages', href: '/guilds/1/settings#log-channel' }],
  acts: ACTS,
  people: [],
  tokens: [{ id: 'tok_1', name: 'night-watch' }],
  caseLabel: (number: string) => `Case #${number}`,
  canReadCases: true,
};
const offer = (text: string, more: { people?: PalettePerson[]; canReadCases?: boolean } = {}) =>
  paletteItems({ ...OFFERED, ...more, text }).map(({ label, leads }) => [
    label,
    'href' in leads ? leads.href : leads.text,
  ]);

describe('the palette', () => {
  it('begins with the pages and what one may do', () => {
    verifies('dashboard.palette');
    expect(offer('')).toEqual([
      ['Réglages', '/guilds/1/settings'],
      ['Cases', '/guilds/1/cases'],
      ['Bannir …', 'Bannir '],
      ['Mute …', 'Mute '],
    ]);
  });

  it('finds pages and settings without accents, cases by number, and tokens and people by name', () => {
    verifies('dashboard.palette');
    expect(offer('regl')).toEqual([
      ['Réglages', '/guilds/1/settings'],
      ['Log channel', '/guilds/1/settings#log-channel'],
    ]);
    expect(offer('log ch')).toEqual([['Log channel', '/guilds/1/settings#log-channel']]);
    for (const text of ['12', '#12']) expect(offer(text)).toEqual([['Case #12', '/guilds/1/cases/12']]);
    expect(offer('12', { canReadCases: false })).toEqual([]);
    expect(offer('watch')).toEqual([['night-watch', '/guilds/1/tokens#tok_1']]);
    expect(offer('hugo', { people: [HUGO] })).toEqual([['Hugo', `/guilds/1/members/${HUGO.user_id}`]]);
  });

  it('after an action, offers it for each person found, and nothing else', () => {
    verifies('dashboard.palette');
    expect(offer('bannir hugo', { people: [HUGO] })).toEqual([
      ['Bannir: Hugo', `/guilds/1/members/${HUGO.user_id}?act=bans.add`],
    ]);
    expect(offer('MUTE 2', { people: [NAMELESS] })).toEqual([
      [`Mute: ${NAMELESS.user_id}`, `/guilds/1/members/${NAMELESS.user_id}?act=mutes.add`],
    ]);
    expect(offer('bannir ')).toEqual([]);
  });

  it('tells what it offers apart, so that the active one is read out and no other', () => {
    verifies('dashboard.palette');
    for (const text of ['', 'bannir ', 'e']) {
      const keys = paletteItems({ ...OFFERED, text, people: [HUGO, NAMELESS] }).map(({ key }) => key);
      expect(keys.length).toBeGreaterThan(1);
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it.each([
    ['h', null],
    ['hu', 'hu'],
    ['bannir', 'bannir'],
    ['bannir h', null],
    ['Bannir  hugo b ', 'hugo b'],
    ['🙂🙂', '🙂🙂'],
  ])('for “%s” looks for people by %s', (text, wanted) => {
    expect(personWanted(text, ACTS)).toBe(wanted);
  });
});
