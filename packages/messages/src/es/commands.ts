import type { Translated } from '#src/translated.ts';

export const commands: Translated<'commands'> = {
  groups: {
    strike: { name: 'falta', description: 'Las faltas de los miembros de este servidor' },
    ticket: { name: 'ticket', description: 'Hablar con la moderación en un canal propio' },
    note: { name: 'nota', description: 'Lo que la moderación debe saber de alguien; solo ella lo ve' },
  },
  menus: {
    strike: 'Poner una falta',
    mute: 'Silenciar',
    ban: 'Banear',
    history: 'Historial',
    strikeForMessage: 'Falta por este mensaje',
    purgeFromHere: 'Purgar desde aquí',
  },
  choices: { minor: 'leve', major: 'grave' },
  options: {
    user: { name: 'usuario', description: 'Quién' },
    reason: { name: 'motivo', description: 'Por qué; consta en el caso y en el registro de auditoría' },
    severity: { name: 'gravedad', description: 'La gravedad de los hechos' },
    active: { name: 'activo', description: 'Solo las que cuentan, o solo las que no' },
    playerName: { name: 'nombre_de_jugador', description: 'Nombre en el juego' },
    inGameId: { name: 'id_en_el_juego', description: 'ID en el juego' },
    category: { name: 'categoría', description: 'Tipo de infracción' },
    case: { name: 'caso', description: 'Número de su caso, por ejemplo 12' },
    duration: { name: 'duración', description: 'Cuánto tiempo, por ejemplo 30m, 2d o 1w' },
    deleteMessage: {
      name: 'borrar_mensajes',
      description: 'Hasta cuándo atrás se borran sus mensajes, por ejemplo 30m, 2d o 1w',
    },
    subject: { name: 'asunto', description: 'De qué se trata' },
    channel: { name: 'canal', description: 'Dónde; este canal, si no se indica' },
    count: { name: 'cantidad', description: 'Cuántos mensajes como máximo' },
    contains: { name: 'contiene', description: 'Solo mensajes con este texto' },
    botsOnly: { name: 'solo_bots', description: 'Solo mensajes de bots' },
    before: { name: 'antes', description: 'Solo mensajes anteriores a este ID o momento' },
    after: { name: 'después', description: 'Solo mensajes posteriores a este ID o momento' },
    includePinned: { name: 'incluir_fijados', description: 'Borrar también los mensajes fijados' },
    server: { name: 'servidor', description: 'El servidor de juego' },
    command: { name: 'comando', description: 'Una línea de 1446 bytes como máximo' },
    number: { name: 'número', description: 'Número del caso, por ejemplo 12' },
    text: { name: 'texto', description: 'Lo que hay que recordar' },
    note: { name: 'nota', description: 'Qué nota' },
  },
  strikes: {
    list: {
      name: 'lista',
      description: 'Listar las faltas, las más recientes primero',
      options: {
        user: 'Solo faltas de esta persona',
        severity: 'Solo faltas de esta gravedad',
        active: 'Solo las que cuentan, o solo las retiradas',
      },
    },
    add: {
      name: 'añadir',
      description: 'Poner una falta a alguien',
      options: { user: 'Quién recibe la falta' },
    },
    remove: {
      name: 'quitar',
      description: 'Retirar una falta; queda en el registro como retirada',
      options: {},
    },
  },
  bans: {
    add: {
      name: 'banear',
      description: 'Banear a alguien, de forma permanente o por un tiempo',
      options: {
        user: 'A quién; no hace falta que sea miembro',
        duration: 'Duración del baneo, por ejemplo 30m, 2d, 1w o permanent',
      },
    },
    lift: { name: 'desbanear', description: 'Levantar un baneo', options: {} },
  },
  mutes: {
    add: {
      name: 'silenciar',
      description: 'Silenciar a alguien por un tiempo',
      options: { user: 'A quién' },
    },
    lift: { name: 'quitar-silencio', description: 'Levantar el silencio de alguien', options: {} },
  },
  tickets: {
    open: { name: 'abrir', description: 'Abrir un ticket, en su propio canal', options: {} },
    claim: { name: 'reclamar', description: 'Encargarse de un ticket', options: {} },
    unclaim: {
      name: 'liberar',
      description: 'Liberar un ticket reclamado, para que vuelva a estar abierto',
      options: {},
    },
    close: {
      name: 'cerrar',
      description: 'Cerrar un ticket: su canal se borra, la transcripción se conserva',
      options: { reason: 'Por qué; consta en el ticket' },
    },
    panel: { name: 'panel', description: 'Publicar un botón que abre tickets', options: {} },
  },
  messages: {
    purge: {
      name: 'purgar',
      description: 'Borrar los últimos mensajes que coincidan; se conservan 30 días',
      options: { user: 'Solo mensajes de esta persona' },
    },
  },
  servers: {
    rcon: { name: 'rcon', description: 'Ejecutar un comando en un servidor de juego por RCON', options: {} },
  },
  cases: {
    get: { name: 'caso', description: 'Mostrar un caso por su número', options: {} },
    list: {
      name: 'historial',
      description: 'Mostrar los últimos casos de alguien',
      options: { user: 'De quién' },
    },
  },
  members: {
    self: {
      name: 'quien-soy',
      description: 'Mostrar qué puede hacer aquí y qué rol se lo permite',
      options: {},
    },
  },
  notes: {
    add: { name: 'añadir', description: 'Escribir una nota sobre alguien', options: { user: 'Sobre quién' } },
    list: {
      name: 'lista',
      description: 'Mostrar las notas sobre alguien',
      options: { user: 'Las notas sobre quién' },
    },
    remove: { name: 'quitar', description: 'Quitar una nota', options: { user: 'La nota sobre quién' } },
  },
};
