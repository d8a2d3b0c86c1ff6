import type { Translated } from '#src/translated.ts';

export const chat: Translated<'chat'> = {
  done: 'Pronto. {what}',
  doneInCase: 'Pronto. {what} (caso nº {number})',
  andMore: '… e mais {count}.',
  untold: {
    closed: 'Não foi possível avisar {who}: essa pessoa não aceita mensagens do bot.',
    absent: 'Não foi possível avisar {who}: essa pessoa não é membro deste servidor.',
    notSent:
      '{who} não recebeu aviso: há mensagens demais sendo enviadas, ou o Discord não aceitou esta a tempo.',
    unknown: 'Não se sabe se {who} recebeu o aviso: o Discord não deu uma resposta segura.',
  },
  rcon: {
    cut: 'O servidor disse mais do que fica guardado.',
    silent: 'O servidor não disse nada.',
    inFile: 'O que ele disse está no arquivo.',
  },
  purge: {
    done: 'Pronto. {count, plural, one {# mensagem apagada} many {# de mensagens apagadas} other {# mensagens apagadas}}{fewer, select, yes { das {asked} pedidas} other {}} em {channel}.{kept, select, yes { Elas ficam guardadas por 30 dias.} other {}}',
    nothing: 'Não há nada para apagar em {channel}.',
    question:
      'Isto apagaria {count, plural, one {# mensagem} many {# de mensagens} other {# mensagens}} em {channel}.{spared, select, none {} other { {spared}}} Nada é apagado antes de você apertar o botão, que vale por 2 minutos.',
    pinned:
      '{count, plural, one {# mensagem que se encaixa fica} many {# de mensagens que se encaixam ficam} other {# mensagens que se encaixam ficam}}: fixadas.',
    old: '{count, plural, one {# mensagem que se encaixa fica} many {# de mensagens que se encaixam ficam} other {# mensagens que se encaixam ficam}}: o Discord não apaga em massa as de mais de 14 dias.',
    button: 'Apagar {count, plural, one {# mensagem} many {# de mensagens} other {# mensagens}}',
    notYours: 'Este botão é para quem perguntou. Nada foi apagado.',
    lapsed: 'Este botão não vale mais: funciona uma vez, por 2 minutos. Dê o comando de novo.',
  },
  strikes: {
    none: 'Não há advertências assim.',
    head: '**Advertências**, as mais recentes primeiro',
    more: 'Há mais: o painel mostra todas.',
  },
  cases: {
    none: 'Não há nenhum caso de {who} que você possa ler.',
    head: '**{count, plural, one {# caso} many {# de casos} other {# casos}}** de {who}, os mais recentes primeiro',
    more: '{count, plural, one {# mais antigo está} many {# de mais antigos estão} other {# mais antigos estão}} no painel.',
    kind: '{kind, select, strike {advertência{severity, select, major { grave} minor { leve} other {}}} ban {banimento} mute {silenciamento} other {aviso}}',
    line: '`#{number}` {kind} · {who}{reason} · por {by} {date}',
    lineExpired: '`#{number}` {kind} · {who}{reason} · por {by} {date} · expirado',
    lineLifted: '`#{number}` {kind} · {who}{reason} · por {by} {date} · revogado',
    title: '**Caso nº {number}: {kind}** · {who} ({id})',
    by: 'Por {by}, {date}',
    reason: 'Motivo: {reason}',
    noReason: 'Motivo: nenhum',
    until: 'Até {date}',
    inForce: 'Em vigor',
    expired: 'Expirado',
    lifted: 'Revogado por {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    somebody: 'alguém',
  },
  self: {
    owner: 'Este servidor é seu, então aqui você pode tudo.',
    nothing:
      'Aqui você só pode abrir tickets: nenhum dos seus cargos recebeu uma capacidade. O dono as concede no painel.',
    head: '**O que você pode fazer aqui**, por cargo',
  },
  forms: {
    strike: 'Advertir {name}',
    mute: 'Silenciar {name}',
    ban: 'Banir {name}',
    reason: 'Motivo',
    severity: 'Gravidade',
    minor: 'leve',
    major: 'grave',
    duration: 'Por quanto tempo',
    durationHint: '30m, 2d ou 1w',
    durationOrGood: '30m, 2d ou 1w; vazio: permanente',
    evidence: 'Prova, guardada com o motivo',
    attached: '{count} em anexo',
  },
  tickets: {
    formTitle: 'Abrir um ticket',
    formSubject: 'Do que se trata?',
    opened: 'Pronto. O ticket nº {number} está aberto: {channel}',
    claimed: 'Pronto. O ticket nº {number} é seu.',
    released: 'Pronto. O ticket nº {number} está aberto de novo.',
    closed: 'Pronto. O ticket nº {number} está fechado; a transcrição é mantida.',
    panel: 'Pronto. O botão está em {channel}.',
    notHere: 'Este não é o canal de um ticket. Dê o comando em um.',
  },
  place: {
    noStrike: '{option}: o nº {number} não é uma advertência, e sim: {kind}.',
    noServers: 'Este servidor não tem nenhum servidor de jogo. O dono adiciona um no painel.',
    noSuchServer: '{option}: nenhum se chama “{name}”. Há: {known}.',
  },
};
