import type { Translated } from '#src/translated.ts';

export const guard: Translated<'guard'> = {
  lead: 'Pegue una petición a la API pública y vea qué comprobación la rechazaría y por qué. No se ejecuta, cobra ni registra nada.',
  noToken: 'No hay ningún token con el que comprobar',
  noTokenText:
    'La petición se comprueba como si la hiciera un token de este servidor. Cree uno en API & MCP.',
  request: 'Petición',
  requestHint:
    'Una línea de curl, o método y ruta con el cuerpo JSON debajo. Un secreto que contenga no sale de este navegador.',
  token: 'Token',
  tokenHint: 'Se elige aquí en lugar de su secreto.',
  address: 'Desde la dirección',
  addressHint: 'De dónde vendría la petición. La suya ya está puesta.',
  check: 'Comprobar',
  unreadable:
    'Esto no es una petición. Empiece con un método y una ruta, como GET /strikes, o pegue una línea de curl.',
  elsewhere: 'La petición va a {host} y no a este Bailiff. Se comprueba como si llegara aquí.',
  tokenState: '{name} ({state, select, active {activo} expired {caducado} other {revocado}})',

  admitted: 'Se admitiría',
  admittedText:
    'Todas las comprobaciones la dejan pasar. Si Discord y la jerarquía de roles lo permiten se ve al ejecutarla.',
  refused: 'Se rechazaría: {status} {code}',
  checks: 'Las comprobaciones, en su orden',
  passed: 'superada',
  stopped: 'rechazada',
  notReached: 'no alcanzada',
  notNeeded: 'no hace falta',
  whatItDoes: 'Qué hace',
  sentinel: 'La frase que necesita',
  sentinelHint: '_confirmation debe decir esto en el cuerpo JSON.',
  sentinelMatches: 'la petición la dice',
  sentinelMissing: 'la petición no la dice',
  copySentinel: 'Copiar la frase',

  step: {
    limit: 'Límite de la dirección',
    browser: 'No viene de un navegador',
    route: 'El método y la ruta se conocen',
    token: 'El token se conoce',
    address: 'La dirección está en su lista',
    revoked: 'No está revocado',
    expired: 'No ha caducado',
    guild: 'El servidor es el suyo',
    tier: 'El servidor tiene el plan de pago',
    mirror: 'Se sabe qué puede hacer quien lo emitió',
    capability: 'Tiene la capacidad ahora',
    input: 'La entrada es válida',
    settings: 'Los ajustes del servidor lo permiten',
    window: 'Hay una ventana abierta para él',
    sentinel: 'La frase es correcta',
    budgets: 'Ambos presupuestos pueden pagar',
  },
};
