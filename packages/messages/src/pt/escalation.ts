import type { Translated } from '#src/translated.ts';

export const escalation: Translated<'escalation'> = {
  reason: '{points, plural, one {# ponto} many {# pontos} other {# pontos}}: advertência nº {number}',
  points: '{user} tem {before}; com esta advertência, {after}.',
  counted: '{count, plural, one {# ponto} many {# pontos} other {# pontos}}',
  wouldMute: 'Isso leva a um silenciamento de {length}, a menos que haja um em vigor que termine depois.',
  wouldBan:
    'Isso leva a um banimento {permanent, select, yes {permanente} other {de {length}, a menos que haja um em vigor que termine depois}}.',
  question: 'Nada é feito antes de você apertar o botão, que funciona por 2 minutos.',
  changed: 'Enquanto isso, algo mudou; por isso nada foi feito.',
  confirm: { ban: 'Advertir e banir', mute: 'Advertir e silenciar' },
  notYours: 'Este botão é para quem fez a pergunta. Nada foi feito.',
  lapsed: 'Este botão expirou: funciona uma vez e por 2 minutos. Use o comando de novo.',
  muted:
    '{points, plural, one {# ponto} many {# pontos} other {# pontos}}: silenciado por {length} (caso nº {number}).',
  banned:
    '{points, plural, one {# ponto} many {# pontos} other {# pontos}}: banimento {permanent, select, yes {permanente} other {de {length}}} (caso nº {number}).',
  notDone: {
    ban: 'O banimento que se segue não aconteceu. {problem}',
    mute: 'O silenciamento que se segue não aconteceu. {problem}',
  },
  superseded: {
    ban: 'Já há um banimento em vigor que termina depois.',
    mute: 'Já há um silenciamento em vigor que termina depois.',
  },
  underWay: {
    ban: 'O banimento que se segue ainda está em andamento; `/history` o mostrará depois.',
    mute: 'O silenciamento que se segue ainda está em andamento; `/history` o mostrará depois.',
  },
  logNotDone: {
    ban: 'A advertência nº {number} de {user} leva a um banimento que não aconteceu. {problem}',
    mute: 'A advertência nº {number} de {user} leva a um silenciamento que não aconteceu. {problem}',
  },
};
