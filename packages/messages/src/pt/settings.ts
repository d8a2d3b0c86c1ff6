import type { Translated } from '#src/translated.ts';

export const settings: Translated<'settings'> = {
  ownerElsewhere:
    'O dono de {guild} define aqui o que os cargos podem fazer, quais motivos ficam à mão e a que as advertências levam.',
  lead: 'Como o Bailiff funciona em {guild}. As mudanças valem na hora e ficam no registro de auditoria.',
  save: 'Salvar as mudanças',
  saved: 'Salvo.',
  nothingChanged: 'Nada foi alterado',
  roles: {
    title: 'O que os cargos podem fazer',
    lead: 'Você pode fazer tudo. Os membros podem o que é concedido aqui aos cargos deles: no chat, no painel e com os tokens deles.',
    notInForce: 'Nada disto vale ainda',
    notInForceLead:
      'As marcas são uma proposta feita a partir das permissões dos seus cargos no Discord. Mude o que quiser e confirme; até lá, só você pode agir.',
    caption: 'Capacidades de cada cargo',
    role: 'Cargo',
    confirm: 'Confirmar estas permissões',
    propose: 'Preencher pelas permissões do Discord',
    unsaved:
      '{count, plural, one {# cargo alterado} many {# cargos alterados} other {# cargos alterados}}, ainda não salvo',
    saved: 'Salvo. Vale a partir da próxima chamada.',
    keys: 'As setas movem entre as marcas.',
  },
  guild: {
    save: 'Salvar estas configurações',
    title: 'Idioma, avisos e canal de registro',
    language: 'Idioma do servidor',
    languageHint:
      'O que o Bailiff escreve nos canais e aos membros. Cada pessoa escolhe o idioma do painel e das respostas.',
    notify: 'Avisar os membros do que foi aplicado a eles',
    notifyHint:
      'Por mensagem direta: antes de um banimento, depois de uma advertência ou de um silenciamento. Não cita nenhum moderador.',
    channel: 'Canal de registro',
    channelHint:
      'Cada caso é publicado aqui. No Discord, abra o menu do canal, escolha “Copiar link” e cole-o. Vazio: sem canal de registro.',
    channelNot:
      'Isto não é o link nem o ID de um canal. Ele se parece com https://discord.com/channels/… ou é um número de 17 a 20 dígitos.',
    channelElsewhere: 'Este canal é de outro servidor.',
    channelNow: 'Agora: {channel}',
    problemTitle: 'Não é possível publicar casos no canal de registro',
    problem: {
      unknown_channel: 'O Discord não conhece esse canal neste servidor. Escolha outro.',
      missing_permission:
        'O bot não pode escrever lá. Conceda ao cargo dele “Ver canal”, “Enviar mensagens” e “Inserir links” nas permissões do canal.',
      refused: 'O Discord recusa o que é publicado lá. Escolha um canal de texto.',
    },
  },
  presets: {
    title: 'Motivos prontos',
    lead: 'Os moderadores os escolhem ao digitar um motivo, no chat ou aqui. Um motivo próprio continua possível.',
    add: 'Adicionar um motivo',
    addTitle: 'Um novo motivo pronto',
    editTitle: 'Alterar {name}',
    none: 'Nenhum motivo pronto ainda',
    noneLead: 'Anote os motivos que seus moderadores mais usam.',
    full: 'Um servidor tem no máximo {count}. Remova um de que ninguém precisa.',
    caption: 'Motivos prontos',
    name: 'Nome',
    nameHint: 'É por ele que se encontra. Só os moderadores o veem.',
    kind: 'Para',
    reason: 'Motivo',
    with: 'Com',
    severity: 'Gravidade',
    lasts: 'Duração',
    actions: 'Ações',
    editNamed: 'Editar {name}',
    removeNamed: 'Remover {name}',
    removeTitle: 'Remover {name}?',
    removeLead: 'O que foi dado com ele fica como está.',
    removed: '{name} foi removido.',
    saved: '{name} foi salvo.',
  },
  escalation: {
    save: 'Salvar estas regras',
    title: 'A que as advertências levam',
    lead: 'As advertências valem pontos. Quem atinge um degrau é silenciado ou banido na hora; o moderador vê isso antes de confirmar. As advertências por token contam, mas não levam a nada sozinhas.',
    minor: 'Pontos de uma advertência leve',
    major: 'Pontos de uma advertência grave',
    decay: 'Dias que uma advertência conta',
    decayHint: 'Vazio: conta sempre',
    steps: 'Degraus',
    step: 'Degrau {number}',
    points: 'Desde (pontos)',
    sanction: 'O que vem',
    mute: 'Silenciamento',
    ban: 'Banimento',
    addStep: 'Adicionar um degrau',
    removeStep: 'Remover o degrau {number}',
    noSteps: 'Sem degraus, as advertências são contadas e não levam a nada.',
    full: 'Há no máximo {count} degraus',
    preview: 'O que isto significa',
    previewMute:
      '{severity, select, major {{count, plural, one {# advertência grave} many {# advertências graves} other {# advertências graves}}} other {{count, plural, one {# advertência leve} many {# advertências leves} other {# advertências leves}}}}{within, select, yes { em {days, plural, one {# dia} many {# dias} other {# dias}}} other {}} → silenciamento, {length}',
    previewBan:
      '{severity, select, major {{count, plural, one {# advertência grave} many {# advertências graves} other {# advertências graves}}} other {{count, plural, one {# advertência leve} many {# advertências leves} other {# advertências leves}}}}{within, select, yes { em {days, plural, one {# dia} many {# dias} other {# dias}}} other {}} → banimento, {length}',
    for: '{length}',
  },
  tier: {
    title: 'Plano',
    free: 'Este servidor tem o plano <b>free</b>: tudo no chat e no painel, sem tokens.',
    paid: 'Este servidor tem o plano <b>{tier}</b>: tudo, inclusive tokens para scripts e assistentes.',
    change:
      'Quem mantém este Bailiff define o plano, ou uma assinatura do servidor no Discord. Um servidor que cai para free perde os tokens.',
  },
  browser: 'Este navegador',
};
