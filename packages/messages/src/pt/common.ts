import type { Translated } from '#src/translated.ts';

export const common: Translated<'common'> = {
  minutes: '{count, plural, one {# minuto} many {# de minutos} other {# minutos}}',
  hours: '{count, plural, one {# hora} many {# de horas} other {# horas}}',
  days: '{count, plural, one {# dia} many {# de dias} other {# dias}}',
  weeks: '{count, plural, one {# semana} many {# de semanas} other {# semanas}}',
  forGood: 'permanentemente',
  kindStrike: 'Advertência',
  kindBan: 'Banimento',
  kindMute: 'Silenciamento',
  kindWarning: 'Aviso',
  severityMinor: 'Leve',
  severityMajor: 'Grave',
};
