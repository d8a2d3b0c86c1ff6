import type { Translated } from '#src/translated.ts';

export const notices: Translated<'notices'> = {
  target: {
    strike: 'Você recebeu uma advertência {severity, select, major {grave} other {leve}} em **{guild}**.',
    warning: 'Você recebeu um aviso em **{guild}**.',
    mute: 'Você foi silenciado em **{guild}** por {length}.',
    ban: 'Você foi banido de **{guild}** {permanent, select, yes {permanentemente} other {por {length}}}.',
    reason: 'Motivo: {reason}',
    strikeEnds: 'Ela fica registrada lá até que a moderação a remova.',
    muteEnds: 'Termina sozinho: {date}.',
    banEnds: 'Termina sozinho: {date}. Então você poderá entrar de novo.',
    banStays: 'Não termina sozinho; só a moderação pode revogá-lo.',
  },
  log: {
    hello: 'A partir de agora, cada caso deste servidor é publicado aqui.',
    handUnseen:
      'Banimentos e castigos aplicados no próprio Discord não são registrados: o bot não pode ler o registro de auditoria. Conceda ao cargo dele “Ver registro de auditoria”; o que faltou será registrado então.',
    title: 'Caso nº {number}: {kind}',
    user: 'Usuário',
    by: 'Por',
    reason: 'Motivo',
    length: 'Duração',
    forGood: 'permanentemente',
    from: 'Origem',
    ended: '{kind, select, strike {Removida} other {Revogado}}',
    ledTo: 'Acarretou',
    expired: 'Expirado',
    endedBy: 'Por {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    source:
      '{source, select, token {token {name}} dashboard {o painel} chat {o chat} system {o próprio Bailiff} other {à mão no Discord}}',
  },
  tickets: {
    panel: 'Precisa da moderação? Abra um ticket: só você e ela veem o canal dele.',
    panelButton: 'Abrir um ticket',
    welcome: 'Ticket nº {number}, aberto por {who}:',
    hint: 'A moderação o assume com `/ticket claim` e o encerra com `/ticket close`.',
  },
  rotation: {
    head: 'Há tokens seus em **{guild}** com o mesmo segredo há 180 dias:',
    more: 'e mais {count}',
    ask: 'Eles continuam funcionando. Por favor, troque os segredos: {url}',
  },
};
