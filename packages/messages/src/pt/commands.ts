import type { Translated } from '#src/translated.ts';

export const commands: Translated<'commands'> = {
  groups: {
    strike: { name: 'advertência', description: 'As advertências dos membros deste servidor' },
    ticket: { name: 'ticket', description: 'Falar com a moderação em um canal só seu' },
    note: { name: 'nota', description: 'O que a moderação deve saber de alguém; só ela vê' },
  },
  menus: {
    strike: 'Advertir',
    mute: 'Silenciar',
    ban: 'Banir',
    history: 'Histórico',
    strikeForMessage: 'Advertir por esta mensagem',
    purgeFromHere: 'Limpar a partir daqui',
  },
  choices: { minor: 'leve', major: 'grave' },
  options: {
    user: { name: 'usuário', description: 'Quem' },
    reason: { name: 'motivo', description: 'Por quê; aparece no caso e no registro de auditoria' },
    severity: { name: 'gravidade', description: 'A gravidade do ocorrido' },
    active: { name: 'ativo', description: 'Só as que contam, ou só as que não contam' },
    playerName: { name: 'nome_do_jogador', description: 'Nome no jogo' },
    inGameId: { name: 'id_no_jogo', description: 'ID no jogo' },
    category: { name: 'categoria', description: 'Tipo de infração' },
    case: { name: 'caso', description: 'Número do caso, por exemplo 12' },
    duration: { name: 'duração', description: 'Por quanto tempo, por exemplo 30m, 2d ou 1w' },
    deleteMessage: {
      name: 'apagar_mensagens',
      description: 'Até quanto tempo atrás apagar as mensagens, por exemplo 30m, 2d ou 1w',
    },
    subject: { name: 'assunto', description: 'Do que se trata' },
    channel: { name: 'canal', description: 'Onde; este canal, se nada for dito' },
    count: { name: 'quantidade', description: 'Quantas mensagens no máximo' },
    contains: { name: 'contém', description: 'Só mensagens com este texto' },
    botsOnly: { name: 'só_bots', description: 'Só mensagens de bots' },
    before: { name: 'antes', description: 'Só mensagens anteriores a este ID ou momento' },
    after: { name: 'depois', description: 'Só mensagens posteriores a este ID ou momento' },
    includePinned: { name: 'incluir_fixadas', description: 'Apagar também as mensagens fixadas' },
    server: { name: 'servidor', description: 'O servidor de jogo' },
    command: { name: 'comando', description: 'Uma linha de no máximo 1446 bytes' },
    number: { name: 'número', description: 'Número do caso, por exemplo 12' },
    text: { name: 'texto', description: 'O que deve ser lembrado' },
    note: { name: 'nota', description: 'Qual nota' },
  },
  strikes: {
    list: {
      name: 'lista',
      description: 'Listar advertências, as mais recentes primeiro',
      options: {
        user: 'Só advertências desta pessoa',
        severity: 'Só advertências desta gravidade',
        active: 'Só as que contam, ou só as removidas',
      },
    },
    add: {
      name: 'adicionar',
      description: 'Dar uma advertência a alguém',
      options: { user: 'Quem recebe a advertência' },
    },
    remove: {
      name: 'remover',
      description: 'Remover uma advertência; ela continua registrada como removida',
      options: {},
    },
  },
  bans: {
    add: {
      name: 'banir',
      description: 'Banir alguém, permanentemente ou por um tempo',
      options: {
        user: 'Quem é banido; não precisa ser membro',
        duration: 'Duração do banimento, por exemplo 30m, 2d, 1w ou permanent',
      },
    },
    lift: { name: 'desbanir', description: 'Revogar um banimento', options: {} },
  },
  mutes: {
    add: {
      name: 'silenciar',
      description: 'Silenciar alguém por um tempo',
      options: { user: 'Quem é silenciado' },
    },
    lift: { name: 'tirar-silêncio', description: 'Remover o silenciamento de alguém', options: {} },
  },
  tickets: {
    open: { name: 'abrir', description: 'Abrir um ticket, em um canal próprio', options: {} },
    claim: { name: 'assumir', description: 'Assumir um ticket', options: {} },
    unclaim: {
      name: 'liberar',
      description: 'Liberar um ticket assumido, para que volte a ficar aberto',
      options: {},
    },
    close: {
      name: 'fechar',
      description: 'Fechar um ticket: o canal é apagado, a transcrição é mantida',
      options: { reason: 'Por quê; aparece no ticket' },
    },
    panel: { name: 'painel', description: 'Publicar um botão que abre tickets', options: {} },
  },
  messages: {
    purge: {
      name: 'limpar',
      description: 'Apagar as últimas mensagens que se encaixem; ficam guardadas por 30 dias',
      options: { user: 'Só mensagens desta pessoa' },
    },
  },
  servers: {
    rcon: { name: 'rcon', description: 'Executar um comando em um servidor de jogo por RCON', options: {} },
  },
  cases: {
    get: { name: 'caso', description: 'Mostrar um caso pelo número', options: {} },
    list: {
      name: 'histórico',
      description: 'Mostrar os últimos casos de alguém',
      options: { user: 'Casos de quem' },
    },
  },
  members: {
    self: {
      name: 'quem-sou-eu',
      description: 'Mostrar o que você pode fazer aqui e qual cargo permite isso',
      options: {},
    },
  },
  notes: {
    add: {
      name: 'adicionar',
      description: 'Escrever uma nota sobre alguém',
      options: { user: 'Sobre quem' },
    },
    list: {
      name: 'lista',
      description: 'Mostrar as notas sobre alguém',
      options: { user: 'Notas sobre quem' },
    },
    remove: { name: 'remover', description: 'Remover uma nota', options: { user: 'Nota sobre quem' } },
  },
};
