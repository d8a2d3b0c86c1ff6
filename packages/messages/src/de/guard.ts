import type { Translated } from '#src/translated.ts';

export const guard: Translated<'guard'> = {
  lead: 'Fügen Sie eine Anfrage an die öffentliche API ein und sehen Sie, welche Prüfung sie ablehnen würde und warum. Nichts wird ausgeführt, berechnet oder aufgezeichnet.',
  noToken: 'Es gibt kein Token, mit dem geprüft werden könnte',
  noTokenText:
    'Eine Anfrage wird geprüft, als käme sie von einem Token dieses Servers. Erstellen Sie eines unter API & MCP.',
  request: 'Anfrage',
  requestHint:
    'Eine curl-Zeile, oder Methode und Pfad mit dem JSON-Rumpf darunter. Ein Geheimnis darin bleibt in diesem Browser.',
  token: 'Token',
  tokenHint: 'Hier gewählt, anstelle seines Geheimnisses.',
  address: 'Von der Adresse',
  addressHint: 'Woher die Anfrage käme. Ihre eigene steht schon da.',
  check: 'Prüfen',
  unreadable:
    'Das ist keine Anfrage. Beginnen Sie mit Methode und Pfad, etwa GET /strikes, oder fügen Sie eine curl-Zeile ein.',
  elsewhere: 'Die Anfrage geht an {host} und nicht an dieses Bailiff. Geprüft wird, als käme sie hierher.',
  tokenState: '{name} ({state, select, active {aktiv} expired {abgelaufen} other {widerrufen}})',

  admitted: 'Sie würde zugelassen',
  admittedText:
    'Jede Prüfung lässt sie durch. Ob Discord und die Rangfolge der Rollen es erlauben, zeigt sich bei der Ausführung.',
  refused: 'Sie würde abgelehnt: {status} {code}',
  checks: 'Die Prüfungen in ihrer Reihenfolge',
  passed: 'bestanden',
  stopped: 'abgelehnt',
  notReached: 'nicht erreicht',
  notNeeded: 'nicht nötig',
  whatItDoes: 'Was sie tut',
  sentinel: 'Der Satz, den sie braucht',
  sentinelHint: '_confirmation muss das im JSON-Rumpf sagen.',
  sentinelMatches: 'die Anfrage sagt ihn',
  sentinelMissing: 'die Anfrage sagt ihn nicht',
  copySentinel: 'Satz kopieren',

  step: {
    limit: 'Grenze der Adresse',
    browser: 'Nicht aus einem Browser',
    route: 'Methode und Pfad sind bekannt',
    token: 'Das Token ist bekannt',
    address: 'Die Adresse steht auf seiner Liste',
    revoked: 'Es ist nicht widerrufen',
    expired: 'Es ist nicht abgelaufen',
    guild: 'Der Server ist sein eigener',
    tier: 'Der Server nutzt die bezahlte Stufe',
    mirror: 'Was sein Aussteller darf, ist bekannt',
    capability: 'Es hat die Befugnis jetzt',
    input: 'Die Eingabe ist gültig',
    settings: 'Die Einstellungen des Servers erlauben es',
    window: 'Ein Fenster ist dafür offen',
    sentinel: 'Der Satz stimmt',
    budgets: 'Beide Budgets können zahlen',
  },
};
