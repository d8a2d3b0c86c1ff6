import type { Translated } from '#src/translated.ts';

export const common: Translated<'common'> = {
  minutes: '{count, plural, one {# minute} many {# de minutes} other {# minutes}}',
  hours: '{count, plural, one {# heure} many {# d’heures} other {# heures}}',
  days: '{count, plural, one {# jour} many {# de jours} other {# jours}}',
  weeks: '{count, plural, one {# semaine} many {# de semaines} other {# semaines}}',
  forGood: 'définitivement',
  kindStrike: 'Avertissement',
  kindBan: 'Bannissement',
  kindMute: 'Réduction au silence',
  kindWarning: 'Rappel',
  severityMinor: 'Mineur',
  severityMajor: 'Majeur',
};
