import type { Translator } from '@bailiff/messages';

/** The sections of a guild's settings, which is what their words are called too. The first one has no path of its own. */
export const SECTIONS = [
  'general',
  'roles',
  'reasons',
  'escalation',
  'notices',
  'appeals',
  'tickets',
  'imports',
] as const;

export type SettingsSection = (typeof SECTIONS)[number];

export function sectionPath(guildId: string, section: SettingsSection): string {
  return `/guilds/${guildId}/settings${section === 'general' ? '' : `/${section}`}`;
}

/** A setting that the search finds, and its place: the id of the element on the page of its section. */
interface Setting {
  readonly section: SettingsSection;
  readonly id: string;
  readonly text: string;
}

/** Ids of elements on the pages of settings. A link with `#…` leads to one. */
export const PLACES = {
  logChannel: 'log-channel',
  logTopics: 'log-topics',
  reportsChannel: 'reports-channel',
  language: 'language',
  notices: 'notices',
  joins: 'joins',
  firstWords: 'first-words',
  firstSteps: 'first-steps',
  tier: 'tier',
  browser: 'this-browser',
  roles: 'roles',
  reasons: 'reasons',
  strikePoints: 'strike-points',
  strikesExpire: 'strikes-expire',
  steps: 'steps',
  noticeWords: 'notice-words',
  noticeColour: 'notice-colour',
  publicAnswers: 'public-answers',
  appealKinds: 'appeal-kinds',
  appealQuestions: 'appeal-questions',
  appealRules: 'appeal-rules',
  ticketCategories: 'ticket-categories',
  ticketLimits: 'ticket-limits',
  ticketTranscript: 'ticket-transcript',
  ticketFeedback: 'ticket-feedback',
  appealChannel: 'appeal-channel',
  importFile: 'import-file',
  importBans: 'import-bans',
  exportArchive: 'export-archive',
} as const;

/** Everything that can be set, in the order of the pages. */
export function allSettings(t: Translator<'settings'>): Setting[] {
  return [
    { section: 'general', id: PLACES.logChannel, text: t('guild.channel') },
    { section: 'general', id: PLACES.reportsChannel, text: t('guild.reports') },
    { section: 'general', id: PLACES.language, text: t('guild.language') },
    { section: 'general', id: PLACES.notices, text: t('guild.notify') },
    { section: 'general', id: PLACES.joins, text: t('guild.joins') },
    { section: 'general', id: PLACES.firstWords, text: t('guild.firstWords') },
    { section: 'general', id: PLACES.firstSteps, text: t('guild.firstSteps') },
    { section: 'general', id: PLACES.logTopics, text: t('topics.title') },
    { section: 'general', id: PLACES.tier, text: t('tier.title') },
    { section: 'general', id: PLACES.browser, text: t('browser') },
    { section: 'roles', id: PLACES.roles, text: t('roles.title') },
    { section: 'reasons', id: PLACES.reasons, text: t('presets.title') },
    { section: 'escalation', id: PLACES.strikePoints, text: t('escalation.minor') },
    { section: 'escalation', id: PLACES.strikePoints, text: t('escalation.major') },
    { section: 'escalation', id: PLACES.strikesExpire, text: t('escalation.decay') },
    { section: 'escalation', id: PLACES.steps, text: t('escalation.steps') },
    { section: 'notices', id: PLACES.noticeWords, text: t('notices.words') },
    { section: 'notices', id: PLACES.noticeColour, text: t('notices.colour') },
    { section: 'notices', id: PLACES.publicAnswers, text: t('notices.public') },
    { section: 'appeals', id: PLACES.appealKinds, text: t('appeals.kinds') },
    { section: 'appeals', id: PLACES.appealQuestions, text: t('appeals.questions') },
    { section: 'appeals', id: PLACES.appealRules, text: t('appeals.cooldown') },
    { section: 'appeals', id: PLACES.appealRules, text: t('appeals.votes') },
    { section: 'appeals', id: PLACES.appealChannel, text: t('appeals.channel') },
    { section: 'tickets', id: PLACES.ticketCategories, text: t('tickets.categories') },
    { section: 'tickets', id: PLACES.ticketLimits, text: t('tickets.mostOfPerson') },
    { section: 'tickets', id: PLACES.ticketLimits, text: t('tickets.mostOfGuild') },
    { section: 'tickets', id: PLACES.ticketLimits, text: t('tickets.pause') },
    { section: 'tickets', id: PLACES.ticketTranscript, text: t('tickets.sendTranscript') },
    { section: 'tickets', id: PLACES.ticketFeedback, text: t('tickets.askFeedback') },
    { section: 'imports', id: PLACES.importFile, text: t('imports.title') },
    { section: 'imports', id: PLACES.importBans, text: t('bans.title') },
    { section: 'imports', id: PLACES.exportArchive, text: t('archive.title') },
  ];
}

/** The section that an anchor of the former page leads to now; the headings there had ids made of their texts. */
export function formerAnchors(
  t: Translator<'settings'>,
  headingId: (title: string) => string,
): Record<string, SettingsSection> {
  return {
    [headingId(t('roles.title'))]: 'roles',
    [headingId(t('presets.title'))]: 'reasons',
    [headingId(t('escalation.title'))]: 'escalation',
  };
}

/** The anchor in an address such as `#roles`, and the page that has it now if it is one of the former page. */
export function anchorIn(
  hash: string,
  former: Readonly<Record<string, string>>,
): { readonly anchor: string; readonly page: string | null } {
  const anchor = decoded(hash.slice(1));
  return { anchor, page: Object.hasOwn(former, anchor) ? (former[anchor] ?? null) : null };
}

/** The text as it stands if it is not encoded rightly: an address may have anything. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
