import type { Translated } from '#src/translated.ts';

export const overview: Translated<'overview'> = {
  title: 'Resumen',
  lead: 'Qué le espera en {guild} y qué pasó últimamente.',
  attention: 'Requiere atención',
  nothingWaits: 'Nada le espera.',
  grantsUnconfirmed: 'Confirme qué pueden hacer sus roles',
  grantsUnconfirmedDetail: 'Hasta entonces solo usted puede moderar con Bailiff.',
  logChannel: 'Los casos no se publican en el canal de registro',
  logChannelDetail:
    '{problem, select, unknown_channel {El canal ya no existe.} missing_permission {Al bot le falta un permiso allí.} other {Discord lo rechazó.}} Vuelva a elegir el canal en los ajustes.',
  pendingApprovals:
    '{count, plural, one {# llamada espera su aprobación} many {# llamadas esperan su aprobación} other {# llamadas esperan su aprobación}}',
  pendingApprovalsDetail: 'Mire qué se pide antes de decidir.',
  openWindows:
    '{count, plural, one {# ventana está abierta} many {# ventanas están abiertas} other {# ventanas están abiertas}}',
  openWindowsDetail: 'Cierre lo que nadie necesite.',
  tokensToRotate:
    '{count, plural, one {# token por rotar} many {# tokens por rotar} other {# tokens por rotar}}',
  tokensToRotateDetail: 'De más de 180 días.',
  tokensExpiring:
    '{count, plural, one {# token caduca en una semana} many {# tokens caducan en una semana} other {# tokens caducan en una semana}}',
  tokensExpiringDetail: 'Renuévelos antes de que se paren los scripts que los usan.',
  serversDown:
    '{count, plural, one {# servidor de juego no responde} many {# servidores de juego no responden} other {# servidores de juego no responden}}',
  serversDownDetail: 'La última prueba o el último comando no llegó.',
  openTickets:
    '{count, plural, one {# ticket está abierto} many {# tickets están abiertos} other {# tickets están abiertos}}',
  openTicketsDetail:
    '{claimed, plural, =0 {Nadie ha asumido ninguno todavía.} one {Otro (#) está asumido.} many {Otros # están asumidos.} other {Otros # están asumidos.}}',
  unknownActions:
    '{count, plural, one {# acción es incierta} many {# acciones son inciertas} other {# acciones son inciertas}}',
  unknownActionsDetail: 'Del último día. Compruebe si ocurrieron.',
  lastDay: 'Últimas 24 horas',
  actions: 'Acciones',
  failures: 'Fallidas o inciertas',
  refusals: 'Rechazadas',
  ticketsStat: 'Tickets abiertos',
  serversStat: 'Servidores de juego accesibles',
  ofServers: '{reached, number} de {all, number}',
  weekBefore: '{count, number} al día la semana anterior',
  claimedStat: '{count, number} asumidos',
  serversUnknown: 'Sin probar cuenta como accesible',
  activity: 'Qué se hizo',
  utc: 'Por día UTC: lo realizado, sin lecturas.',
  days: '{count, number} días',
  span: 'Días mostrados',
  byKind: 'Por tipo',
  byModerator: 'Por moderador',
  bySource: 'Por origen',
  day: 'Día',
  total: 'Total',
  asTable: 'Mostrar como tabla',
  others: 'Otros',
  kinds: {
    strikes: 'Faltas',
    bans: 'Baneos',
    mutes: 'Silencios',
    tickets: 'Tickets',
    messages: 'Purgas',
    servers: 'Servidores de juego',
    other: 'Administración',
  },
  noActivityTitle: 'No se hizo nada en estos días',
  noActivityHint: 'Faltas, baneos, tickets y comandos aparecen aquí a medida que ocurren.',
  notCountedTitle: 'No se pudo contar a tiempo',
  notCountedHint: 'La base de datos está ocupada. Vuelva a cargar la página en un momento.',
  latest: 'Lo último',
  latestCaption: 'Las últimas entradas del registro de auditoría',
  wholeLog: 'Todo el registro de auditoría',
};
