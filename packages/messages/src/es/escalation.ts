import type { Translated } from '#src/translated.ts';

export const escalation: Translated<'escalation'> = {
  reason: '{points, plural, one {# punto} many {# puntos} other {# puntos}}: falta n.º {number}',
  points: '{user} tiene {before}; con esta falta, {after}.',
  counted: '{count, plural, one {# punto} many {# puntos} other {# puntos}}',
  wouldMute:
    'Esto lleva a silenciar a la persona durante {length}, salvo que ya haya un silencio que termine más tarde.',
  wouldBan:
    'Esto lleva a un baneo {permanent, select, yes {permanente} other {de {length}, salvo que ya haya uno que termine más tarde}}.',
  question: 'No se hace nada antes de que pulse el botón, que funciona durante 2 minutos.',
  changed: 'Mientras tanto algo cambió, así que no se hizo nada.',
  confirm: { ban: 'Poner falta y banear', mute: 'Poner falta y silenciar' },
  notYours: 'Este botón es para quien hizo la pregunta. No se hizo nada.',
  lapsed: 'Este botón ha caducado: funciona una vez y durante 2 minutos. Use el comando de nuevo.',
  muted:
    '{points, plural, one {# punto} many {# puntos} other {# puntos}}: silenciado durante {length} (caso n.º {number}).',
  banned:
    '{points, plural, one {# punto} many {# puntos} other {# puntos}}: baneo {permanent, select, yes {permanente} other {de {length}}} (caso n.º {number}).',
  notDone: {
    ban: 'El baneo que sigue no se produjo. {problem}',
    mute: 'El silencio que sigue no se produjo. {problem}',
  },
  superseded: {
    ban: 'Ya hay un baneo en vigor que termina más tarde.',
    mute: 'Ya hay un silencio en vigor que termina más tarde.',
  },
  underWay: {
    ban: 'El baneo que sigue aún está en curso; `/history` lo mostrará después.',
    mute: 'El silencio que sigue aún está en curso; `/history` lo mostrará después.',
  },
  logNotDone: {
    ban: 'La falta n.º {number} de {user} lleva a un baneo que no se produjo. {problem}',
    mute: 'La falta n.º {number} de {user} lleva a un silencio que no se produjo. {problem}',
  },
};
