import type { Translated } from '#src/translated.ts';

export const device: Translated<'device'> = {
  title: 'Conectar un cliente',
  lead: 'Un cliente en su equipo, como Bailiff MCP, muestra un código de ocho letras. Introdúzcalo aquí para darle un token para uno de sus servidores.',
  freeTier: 'en el plan gratuito; los tokens son del plan de pago',
  botAway: 'el bot no está conectado; inténtelo de nuevo en un minuto',
  noneOwned: 'No es propietario de ningún servidor en el que esté Bailiff',
  noneOwnedText:
    'Solo el propietario de un servidor puede dejar entrar a un cliente. Añada Bailiff a un servidor suyo o pida al propietario que introduzca el código.',
  add: 'Añadir Bailiff a un servidor',
  noneFit: 'Ninguno de sus servidores puede admitir un cliente ahora',
  noClient: '¿Todavía no tiene cliente?',
  noClientText: 'Ejecute esto en un terminal. Muestra el código.',
  thenConfigure: 'Después, indique a su asistente que lo inicie:',

  code: 'Código',
  codeHint:
    'Tal como lo muestra el cliente. Los códigos duran {minutes, plural, one {# minuto} many {# de minutos} other {# minutos}}.',
  codeGiven: 'El enlace trajo este código. Continúe solo si su propio cliente muestra el mismo.',
  continue: 'Continuar',
  looking: 'Buscando…',
  asks: '{client} pide un token',
  client: 'Cliente',
  fromAddress: 'Desde la dirección',
  asked: 'Pedido',
  lapsesIn: 'Vence en',
  guild: 'Servidor',
  guildHint: 'El token es solo para este servidor: durante 90 días, con todo lo que usted puede hacer allí.',
  didYou: '¿Ha iniciado usted mismo este cliente ahora?',
  didYouText:
    'Quien lo ejecute actuará en su nombre. Las llamadas destructivas siguen esperando su aprobación.',
  authorise: 'Autorizar',
  refuse: 'Rechazar',
  lapsed: 'El código ha vencido',
  lapsedText:
    'Los códigos duran {minutes, plural, one {# minuto} many {# de minutos} other {# minutos}}. Empiece de nuevo en el cliente para obtener otro.',
  another: 'Introducir otro código',
  refused: 'Rechazado',
  refusedText: '{client} no recibe ningún token. Puede cerrar esta página.',
  authorised: 'Autorizado',
  authorisedText: '{client} obtiene su token para {guild} en unos segundos. Puede cerrar esta página.',
  seeTokens: 'Ver los tokens de {guild}',
};
