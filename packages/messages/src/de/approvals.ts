import type { Translated } from '#src/translated.ts';

export const approvals: Translated<'approvals'> = {
  lead: 'Zerstörende Aufrufe Ihrer Tokens warten hier, bis Sie sie erlauben. Erlauben Sie nur, was Sie erwartet haben.',
  waiting: 'Wartet auf Sie',
  nothingWaits: 'Nichts wartet',
  nothingWaitsText:
    'Wenn ein Token ohne offenes Fenster einen zerstörenden Aufruf macht, steht hier eine Stunde lang genau dieser Aufruf.',
  linkGone: 'Der Aufruf dieses Links wartet nicht mehr',
  linkUnknown: 'Er ist mehr als einen Tag alt oder gehört nicht zu diesem Server.',
  linkLapsed: 'Er ist nach einer Stunde verfallen. Der Aufrufer kann erneut anfragen.',
  linkApprovedCall: 'Er wurde erlaubt: nur dieser Aufruf.',
  linkApprovedWindow: 'Er wurde mit einem Fenster erlaubt.',
  linkRefused: 'Er wurde abgelehnt.',

  token: 'Token',
  from: 'Von',
  asked: 'Angefragt',
  lapsesIn: 'Verfällt in',
  exactCall: 'Der genaue Aufruf',
  thisCallOnly: 'Nur dieser Aufruf',
  refuse: 'Ablehnen',
  allowedCall: 'Erlaubt: nur dieser Aufruf.',
  allowedWindow: 'Erlaubt: Ein Fenster ist offen.',
  refusedDone: 'Abgelehnt.',
  waitsNoMore:
    'Diese Anfrage wartet nicht mehr: Über sie wurde schon entschieden, oder sie ist verfallen. Was entschieden wurde, gilt.',

  windows: 'Fenster',
  windowsLead:
    'Solange ein Fenster offen ist, darf sein Token jeden zerstörenden Aufruf machen, einen nach dem anderen.',
  noToken: 'Kein Token ist aktiv',
  noTokenText: 'Fenster werden für Tokens geöffnet. Erstellen Sie eines unter API & MCP.',
  approveNext: 'Nächste zerstörende Aktion freigeben',
  opens: 'Öffnet ein Fenster von {count, plural, one {# Minute} other {# Minuten}}',
  openFor: 'Offen für',
  close: 'Schließen',
  callsOf: 'Aufrufe im offenen Fenster von {name}',
  noCalls: 'Noch kein Aufruf. Jeder erscheint hier, sobald er geschieht.',
  state: {
    pending: 'wartet',
    running: 'läuft',
    done: 'erledigt',
    failed: 'fehlgeschlagen',
    unknown: 'Ausgang unbekannt',
    cancelled: 'nicht ausgeführt',
  },

  lastDay: 'Der letzte Tag',
  lastDayCaption: 'Anfragen des letzten Tages, die nicht mehr warten',
  call: 'Aufruf',
  decision: 'Entscheidung',
  madeCall: 'nur dieser Aufruf',
  unmadeCall: 'nur dieser Aufruf, noch nicht gemacht',
  aWindow: 'ein Fenster',
  refused: 'abgelehnt',
  lapsed: 'verfallen',
};
