import type { Translated } from '#src/translated.ts';

export const escalation: Translated<'escalation'> = {
  reason: '{points, plural, one {# Punkt} other {# Punkte}}: Verwarnung #{number}',
  points: '{user} hat {before}; mit dieser Verwarnung {after}.',
  counted: '{count, plural, one {# Punkt} other {# Punkte}}',
  wouldMute: 'Das führt zu einer Stummschaltung für {length}, sofern keine in Kraft ist, die später endet.',
  wouldBan:
    'Das führt zu einem Bann {permanent, select, yes {auf Dauer} other {für {length}, sofern keiner in Kraft ist, der später endet}}.',
  question: 'Nichts geschieht, bevor Sie auf die Schaltfläche drücken; sie funktioniert 2 Minuten lang.',
  changed: 'Inzwischen hat sich etwas geändert, daher ist nichts geschehen.',
  confirm: { ban: 'Verwarnen und bannen', mute: 'Verwarnen und stummschalten' },
  notYours: 'Diese Schaltfläche ist für die Person, die gefragt hat. Es ist nichts geschehen.',
  lapsed:
    'Diese Schaltfläche ist abgelaufen: Sie funktioniert einmal und 2 Minuten lang. Geben Sie den Befehl erneut ein.',
  muted: '{points, plural, one {# Punkt} other {# Punkte}}: für {length} stummgeschaltet (Fall #{number}).',
  banned:
    '{points, plural, one {# Punkt} other {# Punkte}}: {permanent, select, yes {auf Dauer} other {für {length}}} gebannt (Fall #{number}).',
  notDone: {
    ban: 'Der Bann, der folgt, ist nicht zustande gekommen. {problem}',
    mute: 'Die Stummschaltung, die folgt, ist nicht zustande gekommen. {problem}',
  },
  superseded: {
    ban: 'Ein Bann, der später endet, ist bereits in Kraft.',
    mute: 'Eine Stummschaltung, die später endet, ist bereits in Kraft.',
  },
  underWay: {
    ban: 'Der Bann, der folgt, ist noch nicht abgeschlossen; `/history` zeigt es danach.',
    mute: 'Die Stummschaltung, die folgt, ist noch nicht abgeschlossen; `/history` zeigt es danach.',
  },
  logNotDone: {
    ban: 'Die Verwarnung #{number} von {user} führt zu einem Bann, der nicht zustande gekommen ist. {problem}',
    mute: 'Die Verwarnung #{number} von {user} führt zu einer Stummschaltung, die nicht zustande gekommen ist. {problem}',
  },
};
