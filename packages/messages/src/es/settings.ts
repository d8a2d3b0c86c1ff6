import type { Translated } from '#src/translated.ts';

export const settings: Translated<'settings'> = {
  ownerElsewhere:
    'El propietario de {guild} decide aquí qué pueden hacer los roles, qué motivos hay a mano y a qué llevan las faltas.',
  lead: 'Cómo funciona Bailiff en {guild}. Los cambios rigen de inmediato y quedan en el registro de auditoría.',
  save: 'Guardar los cambios',
  saved: 'Guardado.',
  nothingChanged: 'No hay cambios',
  roles: {
    title: 'Qué pueden hacer los roles',
    lead: 'Usted puede hacerlo todo. Los miembros pueden lo que aquí se concede a sus roles: en el chat, en el panel y con sus tokens.',
    notInForce: 'Nada de esto rige todavía',
    notInForceLead:
      'Las marcas son una propuesta a partir de los permisos de sus roles en Discord. Cambie lo que quiera y luego confirme; hasta entonces solo usted puede actuar.',
    caption: 'Capacidades de cada rol',
    role: 'Rol',
    confirm: 'Confirmar estos permisos',
    propose: 'Rellenar según los permisos de Discord',
    unsaved:
      '{count, plural, one {# rol cambiado} many {# roles cambiados} other {# roles cambiados}}, aún sin guardar',
    saved: 'Guardado. Rige desde la próxima llamada.',
    keys: 'Las flechas mueven entre las marcas.',
  },
  guild: {
    save: 'Guardar estos ajustes',
    title: 'Idioma, avisos y canal de registro',
    language: 'Idioma del servidor',
    languageHint:
      'Lo que Bailiff escribe en los canales y a los miembros. Cada cual elige el idioma del panel y de las respuestas.',
    notify: 'Avisar a los miembros de lo que se les aplica',
    notifyHint:
      'Por mensaje directo: antes de un baneo, después de una falta o un silencio. No nombra a ningún moderador.',
    channel: 'Canal de registro',
    channelHint:
      'Cada caso se publica aquí. En Discord, abra el menú del canal, elija «Copiar enlace» y péguelo. Vacío: sin canal de registro.',
    channelNot:
      'Esto no es un enlace ni el ID de un canal. Se parece a https://discord.com/channels/… o es un número de 17 a 20 cifras.',
    channelElsewhere: 'Este canal es de otro servidor.',
    channelNow: 'Ahora: {channel}',
    problemTitle: 'No se pueden publicar casos en el canal de registro',
    problem: {
      unknown_channel: 'Discord no conoce ese canal en este servidor. Elija otro.',
      missing_permission:
        'El bot no puede escribir ahí. Conceda a su rol «Ver canal», «Enviar mensajes» e «Insertar enlaces» en los permisos del canal.',
      refused: 'Discord rechaza lo que se publica ahí. Elija un canal de texto.',
    },
  },
  presets: {
    title: 'Motivos preparados',
    lead: 'Los moderadores los eligen al escribir un motivo, en el chat o aquí. Un motivo propio sigue siendo posible.',
    add: 'Añadir un motivo',
    addTitle: 'Un nuevo motivo preparado',
    editTitle: 'Cambiar {name}',
    none: 'Aún no hay motivos preparados',
    noneLead: 'Anote los motivos que más usan sus moderadores.',
    full: 'Un servidor tiene como máximo {count}. Quite uno que nadie necesite.',
    caption: 'Motivos preparados',
    name: 'Nombre',
    nameHint: 'Por él se encuentra. Solo lo ven los moderadores.',
    kind: 'Para',
    reason: 'Motivo',
    with: 'Con',
    severity: 'Gravedad',
    lasts: 'Duración',
    actions: 'Acciones',
    editNamed: 'Editar {name}',
    removeNamed: 'Quitar {name}',
    removeTitle: '¿Quitar {name}?',
    removeLead: 'Lo que se dio con él queda como está.',
    removed: '{name} se ha quitado.',
    saved: '{name} se ha guardado.',
  },
  escalation: {
    save: 'Guardar estas reglas',
    title: 'A qué llevan las faltas',
    lead: 'Las faltas valen puntos. Quien alcanza un escalón queda silenciado o baneado de inmediato; el moderador lo ve antes de confirmar la falta. Las faltas puestas con tokens cuentan, pero no llevan a nada por sí solas.',
    minor: 'Puntos de una falta leve',
    major: 'Puntos de una falta grave',
    decay: 'Días que cuenta una falta',
    decayHint: 'Vacío: cuenta siempre',
    steps: 'Escalones',
    step: 'Escalón {number}',
    points: 'Desde (puntos)',
    sanction: 'Qué sigue',
    mute: 'Silencio',
    ban: 'Baneo',
    addStep: 'Añadir un escalón',
    removeStep: 'Quitar el escalón {number}',
    noSteps: 'Sin escalones, las faltas se cuentan y no llevan a nada.',
    full: 'Hay como máximo {count} escalones',
    preview: 'Qué significa esto',
    previewMute:
      '{severity, select, major {{count, plural, one {# falta grave} many {# faltas graves} other {# faltas graves}}} other {{count, plural, one {# falta leve} many {# faltas leves} other {# faltas leves}}}}{within, select, yes { en {days, plural, one {# día} many {# días} other {# días}}} other {}} → silencio, {length}',
    previewBan:
      '{severity, select, major {{count, plural, one {# falta grave} many {# faltas graves} other {# faltas graves}}} other {{count, plural, one {# falta leve} many {# faltas leves} other {# faltas leves}}}}{within, select, yes { en {days, plural, one {# día} many {# días} other {# días}}} other {}} → baneo, {length}',
    for: '{length}',
  },
  tier: {
    title: 'Plan',
    free: 'Este servidor tiene el plan <b>free</b>: todo en el chat y en el panel, sin tokens.',
    paid: 'Este servidor tiene el plan <b>{tier}</b>: todo, incluidos los tokens para scripts y asistentes.',
    change:
      'El plan lo fija quien administra este Bailiff, o una suscripción del servidor en Discord. Un servidor que baja a free pierde sus tokens.',
  },
  browser: 'Este navegador',
};
