import type { Translated } from '#src/translated.ts';

export const chat: Translated<'chat'> = {
  done: 'Erledigt. {what}',
  doneInCase: 'Erledigt. {what} (Fall #{number})',
  andMore: '… und {count} weitere.',
  untold: {
    closed: '{who} konnte nicht benachrichtigt werden: Nachrichten vom Bot werden dort nicht angenommen.',
    absent: '{who} konnte nicht benachrichtigt werden: kein Mitglied dieses Servers.',
    notSent:
      '{who} wurde nicht benachrichtigt: Es werden zu viele Nachrichten gesendet, oder Discord hat diese nicht rechtzeitig angenommen.',
    unknown: 'Ob {who} benachrichtigt wurde, ist nicht bekannt: Discord hat keine sichere Antwort gegeben.',
  },
  rcon: {
    cut: 'Der Server hat mehr gesagt, als aufbewahrt wird.',
    silent: 'Der Server hat nichts gesagt.',
    inFile: 'Was er gesagt hat, steht in der Datei.',
  },
  purge: {
    done: 'Erledigt. {count, plural, one {# Nachricht} other {# Nachrichten}}{fewer, select, yes { von {asked} verlangten} other {}} in {channel} gelöscht.{kept, select, yes { Sie werden 30 Tage aufbewahrt.} other {}}',
    nothing: 'In {channel} gibt es nichts zu löschen.',
    question:
      'Das würde {count, plural, one {# Nachricht} other {# Nachrichten}} in {channel} löschen.{spared, select, none {} other { {spared}}} Gelöscht wird erst, wenn Sie die Schaltfläche drücken; sie gilt 2 Minuten.',
    pinned:
      '{count, plural, one {# passende Nachricht bleibt} other {# passende Nachrichten bleiben}}: angepinnt.',
    old: '{count, plural, one {# passende Nachricht bleibt} other {# passende Nachrichten bleiben}}: Discord löscht keine gesammelt, die älter als 14 Tage sind.',
    button: '{count, plural, one {# Nachricht} other {# Nachrichten}} löschen',
    notYours: 'Diese Schaltfläche ist für die Person, die gefragt hat. Es wurde nichts gelöscht.',
    lapsed:
      'Diese Schaltfläche gilt nicht mehr: Sie wirkt einmal und 2 Minuten lang. Geben Sie den Befehl noch einmal.',
  },
  strikes: {
    none: 'Solche Verwarnungen gibt es nicht.',
    head: '**Verwarnungen**, die neuesten zuerst',
    more: 'Es gibt noch mehr: Im Dashboard stehen alle.',
  },
  cases: {
    none: 'Es gibt keinen Fall von {who}, den Sie lesen dürfen.',
    head: '**{count, plural, one {# Fall} other {# Fälle}}** von {who}, die neuesten zuerst',
    more: '{count, plural, one {# älterer steht} other {# ältere stehen}} im Dashboard.',
    kind: '{kind, select, strike {{severity, select, major {schwere } minor {leichte } other {}}Verwarnung} ban {Bann} mute {Stummschaltung} other {Hinweis}}',
    line: '`#{number}` {kind} · {who}{reason} · von {by} {date}',
    lineExpired: '`#{number}` {kind} · {who}{reason} · von {by} {date} · abgelaufen',
    lineLifted: '`#{number}` {kind} · {who}{reason} · von {by} {date} · aufgehoben',
    title: '**Fall #{number}: {kind}** · {who} ({id})',
    by: 'Von {by}, {date}',
    reason: 'Grund: {reason}',
    noReason: 'Grund: keiner angegeben',
    until: 'Bis {date}',
    inForce: 'In Kraft',
    expired: 'Abgelaufen',
    lifted: 'Aufgehoben von {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    somebody: 'jemandem',
  },
  self: {
    owner: 'Dieser Server gehört Ihnen, Sie dürfen hier also alles.',
    nothing:
      'Sie dürfen hier nur Tickets öffnen: Keine Ihrer Rollen hat eine Berechtigung erhalten. Der Eigentümer vergibt sie im Dashboard.',
    head: '**Was Sie hier dürfen**, nach Rollen',
  },
  forms: {
    strike: '{name} verwarnen',
    mute: '{name} stummschalten',
    ban: '{name} bannen',
    reason: 'Grund',
    severity: 'Schwere',
    minor: 'leicht',
    major: 'schwer',
    duration: 'Wie lange',
    durationHint: '30m, 2d oder 1w',
    durationOrGood: '30m, 2d oder 1w; leer für auf Dauer',
    evidence: 'Beleg, steht mit im Grund',
    attached: '{count} Anhänge',
  },
  tickets: {
    formTitle: 'Ein Ticket öffnen',
    formSubject: 'Worum geht es?',
    opened: 'Erledigt. Ticket #{number} ist offen: {channel}',
    claimed: 'Erledigt. Ticket #{number} gehört Ihnen.',
    released: 'Erledigt. Ticket #{number} ist wieder offen.',
    closed: 'Erledigt. Ticket #{number} ist geschlossen; der Verlauf bleibt erhalten.',
    panel: 'Erledigt. Die Schaltfläche ist in {channel}.',
    notHere: 'Dies ist nicht der Kanal eines Tickets. Geben Sie den Befehl in einem solchen.',
  },
  place: {
    noStrike: '{option}: #{number} ist keine Verwarnung, sondern: {kind}.',
    noServers: 'Dieser Server hat keinen Spielserver. Der Eigentümer trägt einen im Dashboard ein.',
    noSuchServer: '{option}: Keiner heißt „{name}“. Es gibt: {known}.',
  },
};
