import type { Translated } from '#src/translated.ts';

export const common: Translated<'common'> = {
  minutes: '{count, plural, one {# minuto} many {# de minutos} other {# minutos}}',
  hours: '{count, plural, one {# hora} many {# de horas} other {# horas}}',
  days: '{count, plural, one {# día} many {# de días} other {# días}}',
  weeks: '{count, plural, one {# semana} many {# de semanas} other {# semanas}}',
  forGood: 'de forma permanente',
  kindStrike: 'Falta',
  kindBan: 'Baneo',
  kindMute: 'Silencio',
  kindWarning: 'Aviso',
  severityMinor: 'Leve',
  severityMajor: 'Grave',
};
