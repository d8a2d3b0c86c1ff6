import type { Translated } from '#src/translated.ts';

export const chat: Translated<'chat'> = {
  done: 'Hecho. {what}',
  doneInCase: 'Hecho. {what} (caso n.º {number})',
  andMore: '… y {count} más.',
  untold: {
    closed: 'No se ha podido avisar a {who}: no acepta mensajes del bot.',
    absent: 'No se ha podido avisar a {who}: no es miembro de este servidor.',
    notSent:
      'No se ha avisado a {who}: se están enviando demasiados mensajes, o Discord no aceptó este a tiempo.',
    unknown: 'No se sabe si {who} recibió el aviso: Discord no dio una respuesta segura.',
  },
  rcon: {
    cut: 'El servidor dijo más de lo que se conserva.',
    silent: 'El servidor no dijo nada.',
    inFile: 'Lo que dijo está en el archivo.',
  },
  purge: {
    done: 'Hecho. {count, plural, one {# mensaje borrado} many {# de mensajes borrados} other {# mensajes borrados}}{fewer, select, yes { de los {asked} pedidos} other {}} en {channel}.{kept, select, yes { Se conservan 30 días.} other {}}',
    nothing: 'No hay nada que borrar en {channel}.',
    question:
      'Esto borraría {count, plural, one {# mensaje} many {# de mensajes} other {# mensajes}} en {channel}.{spared, select, none {} other { {spared}}} No se borra nada hasta que pulse el botón, que funciona durante 2 minutos.',
    pinned:
      '{count, plural, one {# mensaje que coincide se queda} many {# de mensajes que coinciden se quedan} other {# mensajes que coinciden se quedan}}: fijados.',
    old: '{count, plural, one {# mensaje que coincide se queda} many {# de mensajes que coinciden se quedan} other {# mensajes que coinciden se quedan}}: Discord no borra en bloque los de más de 14 días.',
    button: 'Borrar {count, plural, one {# mensaje} many {# de mensajes} other {# mensajes}}',
    notYours: 'Este botón es para quien preguntó. No se ha borrado nada.',
    lapsed: 'Este botón ya no vale: funciona una vez, durante 2 minutos. Repita el comando.',
  },
  strikes: {
    none: 'No hay faltas así.',
    head: '**Faltas**, las más recientes primero',
    more: 'Hay más: el panel las muestra todas.',
  },
  cases: {
    none: 'No hay ningún caso de {who} que usted pueda leer.',
    head: '**{count, plural, one {# caso} many {# de casos} other {# casos}}** de {who}, los más recientes primero',
    more: '{count, plural, one {# anterior está} many {# de anteriores están} other {# anteriores están}} en el panel.',
    kind: '{kind, select, strike {falta{severity, select, major { grave} minor { leve} other {}}} ban {baneo} mute {silencio} other {aviso}}',
    line: '`#{number}` {kind} · {who}{reason} · por {by} {date}',
    lineExpired: '`#{number}` {kind} · {who}{reason} · por {by} {date} · caducado',
    lineLifted: '`#{number}` {kind} · {who}{reason} · por {by} {date} · levantado',
    title: '**Caso n.º {number}: {kind}** · {who} ({id})',
    by: 'Por {by}, {date}',
    reason: 'Motivo: {reason}',
    noReason: 'Motivo: ninguno',
    until: 'Hasta el {date}',
    inForce: 'En vigor',
    expired: 'Caducado',
    lifted: 'Levantado por {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    somebody: 'alguien',
  },
  self: {
    owner: 'Este servidor es suyo, así que aquí puede hacerlo todo.',
    nothing:
      'Aquí solo puede abrir tickets: ninguno de sus roles tiene una capacidad. El propietario las concede en el panel.',
    head: '**Lo que puede hacer aquí**, por rol',
  },
  forms: {
    strike: 'Falta para {name}',
    mute: 'Silenciar a {name}',
    ban: 'Banear a {name}',
    reason: 'Motivo',
    severity: 'Gravedad',
    minor: 'leve',
    major: 'grave',
    duration: 'Cuánto tiempo',
    durationHint: '30m, 2d o 1w',
    durationOrGood: '30m, 2d o 1w; vacío: permanente',
    evidence: 'Prueba, se guarda con el motivo',
    attached: '{count} adjuntos',
  },
  tickets: {
    formTitle: 'Abrir un ticket',
    formSubject: '¿De qué se trata?',
    opened: 'Hecho. El ticket n.º {number} está abierto: {channel}',
    claimed: 'Hecho. El ticket n.º {number} es suyo.',
    released: 'Hecho. El ticket n.º {number} vuelve a estar abierto.',
    closed: 'Hecho. El ticket n.º {number} está cerrado; su transcripción se conserva.',
    panel: 'Hecho. El botón está en {channel}.',
    notHere: 'Este no es el canal de un ticket. Dé el comando en uno.',
  },
  place: {
    noStrike: '{option}: el n.º {number} no es una falta, sino: {kind}.',
    noServers: 'Este servidor no tiene ningún servidor de juego. Su propietario añade uno en el panel.',
    noSuchServer: '{option}: ninguno se llama «{name}». Hay: {known}.',
  },
};
