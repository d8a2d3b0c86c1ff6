import type { Locale } from '@bailiff/messages';
import { translator } from '@bailiff/messages/dashboard';

/** What is proposed to a guild that has no reasons yet. A duration of null is permanent. */
const REASONS = [
  { word: 'spam', kind: 'strike', severity: 'minor' },
  { word: 'insults', kind: 'strike', severity: 'minor' },
  { word: 'hate', kind: 'strike', severity: 'major' },
  { word: 'ads', kind: 'strike', severity: 'minor' },
  { word: 'pause', kind: 'mute', duration_minutes: 60 },
  { word: 'scam', kind: 'ban', duration_minutes: null },
] as const;

/** Preset reasons to begin with, in the guild's language: its members read them. As the dashboard's API takes them. */
export function startingReasons(language: Locale): ({ readonly name: string } & object)[] {
  const t = translator(language, 'settings');
  return REASONS.map(({ word, ...reason }) => ({
    ...reason,
    name: t(`presets.start.${word}.name`),
    reason: t(`presets.start.${word}.reason`),
  }));
}
