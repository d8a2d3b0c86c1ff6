import type { Translated } from '#src/translated.ts';

export const common: Translated<'common'> = {
  minutes: '{count, plural, one {# Minute} other {# Minuten}}',
  hours: '{count, plural, one {# Stunde} other {# Stunden}}',
  days: '{count, plural, one {# Tag} other {# Tage}}',
  weeks: '{count, plural, one {# Woche} other {# Wochen}}',
  forGood: 'auf Dauer',
  kindStrike: 'Verwarnung',
  kindBan: 'Bann',
  kindMute: 'Stummschaltung',
  kindWarning: 'Hinweis',
  severityMinor: 'Leicht',
  severityMajor: 'Schwer',
};
