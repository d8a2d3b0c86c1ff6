import type { Translated } from '#src/translated.ts';

export const notices: Translated<'notices'> = {
  target: {
    strike: 'Ha recibido una falta {severity, select, major {grave} other {leve}} en **{guild}**.',
    warning: 'Ha recibido un aviso en **{guild}**.',
    mute: 'Se le ha silenciado en **{guild}** durante {length}.',
    ban: 'Se le ha baneado de **{guild}** {permanent, select, yes {de forma permanente} other {durante {length}}}.',
    reason: 'Motivo: {reason}',
    strikeEnds: 'Consta allí hasta que la moderación la retire.',
    muteEnds: 'Termina por sí solo: {date}.',
    banEnds: 'Termina por sí solo: {date}. Entonces podrá volver a entrar.',
    banStays: 'No termina por sí solo; solo la moderación puede levantarlo.',
  },
  log: {
    hello: 'A partir de ahora, cada caso de este servidor se publica aquí.',
    handUnseen:
      'Los baneos y aislamientos hechos en el propio Discord no se registran: el bot no puede leer el registro de auditoría. Conceda a su rol «Ver el registro de auditoría»; entonces se registrará lo que falta.',
    title: 'Caso n.º {number}: {kind}',
    user: 'Usuario',
    by: 'Por',
    reason: 'Motivo',
    length: 'Duración',
    forGood: 'de forma permanente',
    from: 'Origen',
    ended: '{kind, select, strike {Retirada} other {Levantado}}',
    ledTo: 'Ha conllevado',
    expired: 'Caducado',
    endedBy: 'Por {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    source:
      '{source, select, token {token {name}} dashboard {el panel} chat {el chat} system {el propio Bailiff} other {a mano en Discord}}',
  },
  tickets: {
    panel: '¿Necesita a la moderación? Abra un ticket: solo usted y ella ven su canal.',
    panelButton: 'Abrir un ticket',
    welcome: 'Ticket n.º {number}, abierto por {who}:',
    hint: 'La moderación se encarga de él con `/ticket claim` y lo termina con `/ticket close`.',
  },
  rotation: {
    head: 'Hay tokens suyos en **{guild}** con el mismo secreto desde hace 180 días:',
    more: 'y {count} más',
    ask: 'Siguen funcionando. Por favor, cambie sus secretos: {url}',
  },
};
