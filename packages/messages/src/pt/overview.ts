import type { Translated } from '#src/translated.ts';

export const overview: Translated<'overview'> = {
  title: 'Visão geral',
  lead: 'O que espera por você em {guild} e o que aconteceu por último.',
  attention: 'Requer atenção',
  nothingWaits: 'Nada espera por você.',
  grantsUnconfirmed: 'Confirme o que os seus cargos podem fazer',
  grantsUnconfirmedDetail: 'Até lá só você pode moderar com o Bailiff.',
  logChannel: 'Os casos não são publicados no canal de registro',
  logChannelDetail:
    '{problem, select, unknown_channel {O canal não existe mais.} missing_permission {Falta uma permissão ao bot ali.} other {O Discord recusou.}} Escolha o canal de novo nas configurações.',
  pendingApprovals:
    '{count, plural, one {# chamada espera a sua aprovação} many {# chamadas esperam a sua aprovação} other {# chamadas esperam a sua aprovação}}',
  pendingApprovalsDetail: 'Veja o que é pedido antes de decidir.',
  openWindows:
    '{count, plural, one {# janela está aberta} many {# janelas estão abertas} other {# janelas estão abertas}}',
  openWindowsDetail: 'Feche o que ninguém precisa.',
  tokensToRotate:
    '{count, plural, one {# token a rotacionar} many {# tokens a rotacionar} other {# tokens a rotacionar}}',
  tokensToRotateDetail: 'Com mais de 180 dias.',
  tokensExpiring:
    '{count, plural, one {# token expira em uma semana} many {# tokens expiram em uma semana} other {# tokens expiram em uma semana}}',
  tokensExpiringDetail: 'Renove-os antes que os scripts que os usam parem.',
  serversDown:
    '{count, plural, one {# servidor de jogo não responde} many {# servidores de jogo não respondem} other {# servidores de jogo não respondem}}',
  serversDownDetail: 'O último teste ou comando não chegou.',
  openTickets:
    '{count, plural, one {# ticket está aberto} many {# tickets estão abertos} other {# tickets estão abertos}}',
  openTicketsDetail:
    '{claimed, plural, =0 {Ninguém assumiu nenhum ainda.} one {Outro (#) está assumido.} many {Outros # estão assumidos.} other {Outros # estão assumidos.}}',
  unknownActions:
    '{count, plural, one {# ação é incerta} many {# ações são incertas} other {# ações são incertas}}',
  unknownActionsDetail: 'Do último dia. Verifique se aconteceram.',
  lastDay: 'Últimas 24 horas',
  actions: 'Ações',
  failures: 'Falhas ou incertas',
  refusals: 'Recusadas',
  ticketsStat: 'Tickets abertos',
  serversStat: 'Servidores de jogo acessíveis',
  ofServers: '{reached, number} de {all, number}',
  weekBefore: '{count, number} por dia na semana anterior',
  claimedStat: '{count, number} assumidos',
  serversUnknown: 'Não testado conta como acessível',
  activity: 'O que foi feito',
  utc: 'Por dia UTC: o que foi realizado, sem leituras.',
  days: '{count, number} dias',
  span: 'Dias exibidos',
  byKind: 'Por tipo',
  byModerator: 'Por moderador',
  bySource: 'Por origem',
  day: 'Dia',
  total: 'Total',
  asTable: 'Mostrar como tabela',
  others: 'Outros',
  kinds: {
    strikes: 'Advertências',
    bans: 'Banimentos',
    mutes: 'Silenciamentos',
    tickets: 'Tickets',
    messages: 'Limpezas',
    servers: 'Servidores de jogo',
    other: 'Administração',
  },
  noActivityTitle: 'Nada foi feito nesses dias',
  noActivityHint: 'Advertências, banimentos, tickets e comandos aparecem aqui conforme acontecem.',
  notCountedTitle: 'Não foi possível contar a tempo',
  notCountedHint: 'O banco de dados está ocupado. Recarregue a página em instantes.',
  latest: 'Mais recentes',
  latestCaption: 'Os últimos registros da auditoria',
  wholeLog: 'Registro de auditoria completo',
};
