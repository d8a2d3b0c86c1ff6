import type { Translated } from '#src/translated.ts';

export const escalation: Translated<'escalation'> = {
  reason: '{points, plural, one {# point} many {# points} other {# points}} : avertissement nº {number}',
  points: '{user} a {before} ; avec cet avertissement, {after}.',
  counted: '{count, plural, one {# point} many {# points} other {# points}}',
  wouldMute:
    'Cela entraîne une réduction au silence de {length}, sauf si une autre qui finit plus tard est en vigueur.',
  wouldBan:
    'Cela entraîne un bannissement {permanent, select, yes {définitif} other {de {length}, sauf si un autre qui finit plus tard est en vigueur}}.',
  question: 'Rien n’est fait avant que vous n’appuyiez sur le bouton, qui fonctionne pendant 2 minutes.',
  changed: 'Entre-temps, quelque chose a changé ; rien n’a donc été fait.',
  confirm: { ban: 'Avertir et bannir', mute: 'Avertir et réduire au silence' },
  notYours: 'Ce bouton est réservé à la personne qui a posé la question. Rien n’a été fait.',
  lapsed: 'Ce bouton a expiré : il fonctionne une seule fois, pendant 2 minutes. Relancez la commande.',
  muted:
    '{points, plural, one {# point} many {# points} other {# points}} : réduction au silence de {length} (dossier nº {number}).',
  banned:
    '{points, plural, one {# point} many {# points} other {# points}} : bannissement {permanent, select, yes {définitif} other {de {length}}} (dossier nº {number}).',
  notDone: {
    ban: 'Le bannissement qui suit n’a pas eu lieu. {problem}',
    mute: 'La réduction au silence qui suit n’a pas eu lieu. {problem}',
  },
  superseded: {
    ban: 'Un bannissement qui finit plus tard est déjà en vigueur.',
    mute: 'Une réduction au silence qui finit plus tard est déjà en vigueur.',
  },
  underWay: {
    ban: 'Le bannissement qui suit est encore en cours ; `/history` l’affichera ensuite.',
    mute: 'La réduction au silence qui suit est encore en cours ; `/history` l’affichera ensuite.',
  },
  logNotDone: {
    ban: 'L’avertissement nº {number} de {user} entraîne un bannissement, qui n’a pas eu lieu. {problem}',
    mute: 'L’avertissement nº {number} de {user} entraîne une réduction au silence, qui n’a pas eu lieu. {problem}',
  },
};
