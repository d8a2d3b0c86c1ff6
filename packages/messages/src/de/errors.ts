import type { Translated } from '#src/translated.ts';

export const errors: Translated<'errors'> = {
  notDone: 'Nicht ausgeführt. {why}',
  notCertain: 'Ungewiss. {why}',
  request: 'Anfrage {id}',
  ours: 'Bei uns ist etwas schiefgegangen. Bitte sagen Sie dem Betreiber des Bots Bescheid.',
  owner: 'Der Server gehört {owner}.',
  capabilityDenied:
    'Sie dürfen das nicht: Nötig ist die Berechtigung {missing}, die der Eigentümer des Servers im Dashboard vergibt.',
  alreadyClaimed: 'Jemand anderes hat dieses Ticket übernommen.',
  rateLimited:
    'Zu viel auf einmal. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} noch einmal.',
  forbidden: {
    targetIsOwner: 'Gegen den Eigentümer des Servers geht das nicht.',
    targetIsBot: 'Gegen den Bot geht das nicht.',
    targetIsSelf: 'Gegen sich selbst können Sie das nicht tun.',
    roleHierarchy: 'Die höchste Rolle dieser Person liegt nicht unter Ihrer und der des Bots.',
    botMissingPermission:
      '{count, plural, =0 {Dem Bot fehlt ein Discord-Recht, das dafür nötig ist. Geben Sie es seiner Rolle} one {Dem Bot fehlt das Discord-Recht {permissions}. Geben Sie es seiner Rolle} other {Dem Bot fehlt ein Discord-Recht. Geben Sie seiner Rolle {permissions}}}, auf dem Server und im Kanal.',
    commandNotAllowed: 'Die Befehlsrichtlinie dieses Spielservers verbietet den Befehl.',
    notClaimer: 'Freigeben kann das Ticket nur, wer es übernommen hat, oder der Eigentümer des Servers.',
    ticketLimit:
      'Sie haben 5 offene Tickets, mehr sind nicht möglich. Schreiben Sie in einem davon, oder bitten Sie, eines zu schließen.',
    channelLimit:
      'Dieser Server hat so viele Kanäle, wie Discord erlaubt. Schließen Sie erst ein Ticket oder löschen Sie einen Kanal.',
    ownerOnly: 'Das kann nur der Eigentümer des Servers.',
    noteLimit: 'Über diese Person gibt es schon so viele Notizen wie möglich. Entfernen Sie zuerst eine.',
    presetLimit: 'Es gibt schon so viele Vorlagen für Gründe wie möglich. Entfernen Sie zuerst eine.',
    escalationChanged:
      'Was auf diese Verwarnung folgt, hat sich inzwischen geändert. Sehen Sie nach und entscheiden Sie neu.',
    notDue: 'Das ist nicht mehr fällig: Die Verwarnungen oder die Regeln haben sich geändert.',
  },
  unavailable: {
    bot: '{outcome, select, unknown {Der Bot hat nicht rechtzeitig geantwortet: Ob es geschehen ist, ist noch nicht bekannt.} other {Der Bot kann das gerade nicht. Es ist nichts geschehen; versuchen Sie es in einer Minute noch einmal.}}',
    discord:
      '{outcome, select, unknown {Discord hat keine sichere Antwort gegeben: Ob es geschehen ist, ist noch nicht bekannt. Das Audit-Log wird es zeigen.} other {Discord hat seinen Teil nicht getan. Es ist nichts geschehen; versuchen Sie es noch einmal.}}',
    gameServer:
      '{outcome, select, unknown {Der Befehl wurde gesendet, aber der Spielserver hat nicht vollständig geantwortet: Vielleicht wurde er ausgeführt. Er wird nicht noch einmal gesendet.} other {Der Spielserver ist nicht erreichbar. Es wurde nichts ausgeführt.}}',
    database:
      '{outcome, select, unknown {Die Datenbank antwortet nicht: Ob es geschehen ist, ist noch nicht bekannt.} other {Die Datenbank antwortet nicht. Es ist nichts geschehen; versuchen Sie es in einigen Sekunden noch einmal.}}',
  },
  notFound: {
    strike: 'Diese Verwarnung gilt nicht mehr: Sie wurde schon zurückgenommen.',
    user: 'Discord kennt diese Person nicht.',
    ban: 'Diese Person ist nicht gebannt.',
    member: 'Diese Person ist kein Mitglied des Servers.',
    mute: 'Diese Person ist nicht stummgeschaltet.',
    case: 'Dieser Server hat keinen Fall {number}.',
    channel: 'Dieser Server hat keinen solchen Kanal.',
    ticket: 'Dieses Ticket ist schon geschlossen.',
    server: 'Dieser Server hat keinen solchen Spielserver.',
    note: 'Diese Notiz gibt es nicht mehr.',
  },
  issues: {
    at: '{option}: {problem}',
    required: 'fehlt',
    oneOf: 'muss eines davon sein: {values}',
    wholeNumber: 'muss eine ganze Zahl sein',
    leastCharacters: 'muss mindestens {count, plural, one {# Zeichen} other {# Zeichen}} haben',
    mostCharacters: 'darf höchstens {count, plural, one {# Zeichen} other {# Zeichen}} haben',
    least: 'muss mindestens {bound} sein',
    most: 'darf höchstens {bound} sein',
    noLength: '„{text}“ ist keine Zeitspanne. Schreiben Sie etwa 30m, 2d oder 1w.',
    invalid: 'ist ungültig',
  },
};
