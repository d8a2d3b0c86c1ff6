import type { Translated } from '#src/translated.ts';

export const errors: Translated<'errors'> = {
  notDone: 'No se ha hecho. {why}',
  notCertain: 'No es seguro. {why}',
  request: 'Solicitud {id}',
  ours: 'Algo ha fallado por nuestra parte. Avise al operador del bot.',
  owner: 'El servidor pertenece a {owner}.',
  capabilityDenied:
    'No puede hacer esto: hace falta la capacidad {missing}, que el propietario del servidor concede en el panel.',
  alreadyClaimed: 'Otra persona se ha encargado de este ticket.',
  rateLimited:
    'Demasiado a la vez. Inténtelo de nuevo en {seconds, plural, one {# segundo} many {# de segundos} other {# segundos}}.',
  forbidden: {
    targetIsOwner: 'No se puede hacer esto al propietario del servidor.',
    targetIsBot: 'No se puede hacer esto al bot.',
    targetIsSelf: 'No puede hacerse esto a sí mismo.',
    roleHierarchy: 'El rol más alto de esta persona no está por debajo del suyo y del rol del bot.',
    botMissingPermission:
      '{count, plural, =0 {Al bot le falta un permiso de Discord que esto necesita. Concédalo a su rol} one {Al bot le falta el permiso de Discord {permissions}. Concédalo a su rol} many {Al bot le falta un permiso de Discord. Conceda a su rol {permissions}} other {Al bot le falta un permiso de Discord. Conceda a su rol {permissions}}}, en el servidor y en el canal.',
    commandNotAllowed: 'La política de comandos de este servidor de juego no permite el comando.',
    notClaimer: 'Solo puede liberar el ticket quien se encargó de él, o el propietario del servidor.',
    ticketLimit:
      'Tiene 5 tickets abiertos, que es el máximo. Escriba en uno de ellos, o pida que se cierre uno.',
    channelLimit:
      'Este servidor tiene tantos canales como Discord permite. Cierre primero un ticket o borre un canal.',
    ownerOnly: 'Solo el propietario del servidor puede hacer esto.',
    noteLimit: 'Esta persona ya tiene todas las notas posibles. Quite una primero.',
    presetLimit: 'El servidor ya tiene todos los motivos predefinidos posibles. Quite uno primero.',
    escalationChanged: 'Lo que esta falta conlleva ha cambiado entretanto. Revíselo y decida de nuevo.',
    notDue: 'Ya no corresponde: las faltas o las reglas han cambiado.',
  },
  unavailable: {
    bot: '{outcome, select, unknown {El bot no respondió a tiempo: aún no se sabe si se ha hecho.} other {El bot no puede hacerlo en este momento. No se ha hecho nada; inténtelo de nuevo en un minuto.}}',
    discord:
      '{outcome, select, unknown {Discord no dio una respuesta segura: aún no se sabe si se ha hecho. El registro de auditoría lo dirá.} other {Discord no hizo su parte. No se ha hecho nada; inténtelo de nuevo.}}',
    gameServer:
      '{outcome, select, unknown {El comando se envió, pero el servidor de juego no respondió del todo: puede que se haya ejecutado. No se envía otra vez.} other {No se puede contactar con el servidor de juego. No se ha ejecutado nada.}}',
    database:
      '{outcome, select, unknown {La base de datos no responde: aún no se sabe si se ha hecho.} other {La base de datos no responde. No se ha hecho nada; inténtelo de nuevo en unos segundos.}}',
  },
  notFound: {
    strike: 'Esta falta ya no está en vigor: ya se retiró.',
    user: 'Discord no conoce a esta persona.',
    ban: 'Esta persona no está baneada.',
    member: 'Esta persona no es miembro del servidor.',
    mute: 'Esta persona no está silenciada.',
    case: 'Este servidor no tiene ningún caso {number}.',
    channel: 'Este servidor no tiene ese canal.',
    ticket: 'Este ticket ya está cerrado.',
    server: 'Este servidor no tiene ese servidor de juego.',
    note: 'Esta nota ya no existe.',
  },
  issues: {
    at: '{option}: {problem}',
    required: 'es obligatorio',
    oneOf: 'debe ser uno de estos valores: {values}',
    wholeNumber: 'debe ser un número entero',
    leastCharacters:
      'debe tener al menos {count, plural, one {# carácter} many {# de caracteres} other {# caracteres}}',
    mostCharacters:
      'debe tener como máximo {count, plural, one {# carácter} many {# de caracteres} other {# caracteres}}',
    least: 'debe ser al menos {bound}',
    most: 'debe ser como máximo {bound}',
    noLength: '«{text}» no es una duración. Escriba por ejemplo 30m, 2d o 1w.',
    invalid: 'no es válido',
  },
};
