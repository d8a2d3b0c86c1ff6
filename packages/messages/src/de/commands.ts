import type { Translated } from '#src/translated.ts';

export const commands: Translated<'commands'> = {
  groups: {
    strike: { name: 'verwarnung', description: 'Verwarnungen der Mitglieder dieses Servers' },
    ticket: { name: 'ticket', description: 'Mit der Moderation sprechen, in einem eigenen Kanal' },
    note: { name: 'notiz', description: 'Was die Moderation über jemanden wissen sollte; nur sie sieht es' },
  },
  menus: {
    strike: 'Verwarnen',
    mute: 'Stummschalten',
    ban: 'Bannen',
    history: 'Verlauf',
    strikeForMessage: 'Für diese Nachricht verwarnen',
    purgeFromHere: 'Ab hier löschen',
  },
  choices: { minor: 'leicht', major: 'schwer' },
  options: {
    user: { name: 'nutzer', description: 'Wer' },
    reason: { name: 'grund', description: 'Warum; steht im Fall und im Audit-Log von Discord' },
    severity: { name: 'schwere', description: 'Wie schwer es wiegt' },
    active: { name: 'aktiv', description: 'Nur solche, die zählen, oder nur solche, die nicht zählen' },
    playerName: { name: 'spielername', description: 'Name im Spiel' },
    inGameId: { name: 'spiel_id', description: 'ID im Spiel' },
    category: { name: 'kategorie', description: 'Art des Verstoßes' },
    case: { name: 'fall', description: 'Nummer des Falls, etwa 12' },
    duration: { name: 'dauer', description: 'Wie lange, etwa 30m, 2d oder 1w' },
    deleteMessage: {
      name: 'nachrichten_löschen',
      description: 'Wie weit zurück die Nachrichten gelöscht werden, etwa 30m, 2d oder 1w',
    },
    subject: { name: 'betreff', description: 'Worum es geht' },
    channel: { name: 'kanal', description: 'Wo; ohne Angabe in diesem Kanal' },
    count: { name: 'anzahl', description: 'Wie viele Nachrichten höchstens' },
    contains: { name: 'enthält', description: 'Nur Nachrichten mit diesem Text' },
    botsOnly: { name: 'nur_bots', description: 'Nur Nachrichten von Bots' },
    before: { name: 'vor', description: 'Nur Nachrichten vor dieser Nachrichten-ID oder Zeit' },
    after: { name: 'nach', description: 'Nur Nachrichten nach dieser Nachrichten-ID oder Zeit' },
    includePinned: { name: 'mit_angepinnten', description: 'Auch angepinnte Nachrichten löschen' },
    server: { name: 'server', description: 'Der Spielserver' },
    command: { name: 'befehl', description: 'Eine Zeile von höchstens 1446 Bytes' },
    number: { name: 'nummer', description: 'Nummer des Falls, etwa 12' },
    text: { name: 'text', description: 'Was festgehalten wird' },
    note: { name: 'notiz', description: 'Welche Notiz' },
  },
  strikes: {
    list: {
      name: 'liste',
      description: 'Verwarnungen auflisten, die neuesten zuerst',
      options: {
        user: 'Nur Verwarnungen dieses Nutzers',
        severity: 'Nur Verwarnungen dieser Schwere',
        active: 'Nur Verwarnungen, die zählen, oder nur zurückgenommene',
      },
    },
    add: { name: 'hinzufügen', description: 'Jemanden verwarnen', options: { user: 'Wer verwarnt wird' } },
    remove: {
      name: 'entfernen',
      description: 'Eine Verwarnung zurücknehmen; sie bleibt als zurückgenommen vermerkt',
      options: {},
    },
  },
  bans: {
    add: {
      name: 'bannen',
      description: 'Jemanden bannen, auf Dauer oder für eine Weile',
      options: {
        user: 'Wer gebannt wird; muss kein Mitglied sein',
        duration: 'Dauer des Banns, etwa 30m, 2d, 1w oder permanent',
      },
    },
    lift: { name: 'entbannen', description: 'Einen Bann aufheben', options: {} },
  },
  mutes: {
    add: {
      name: 'stummschalten',
      description: 'Jemanden für eine Weile stummschalten',
      options: { user: 'Wer stummgeschaltet wird' },
    },
    lift: { name: 'stummschaltung-aufheben', description: 'Eine Stummschaltung aufheben', options: {} },
  },
  tickets: {
    open: { name: 'öffnen', description: 'Ein Ticket öffnen, in einem eigenen Kanal', options: {} },
    claim: { name: 'übernehmen', description: 'Ein Ticket übernehmen', options: {} },
    unclaim: {
      name: 'freigeben',
      description: 'Ein übernommenes Ticket freigeben, damit es wieder offen ist',
      options: {},
    },
    close: {
      name: 'schließen',
      description: 'Ein Ticket schließen: Der Kanal wird gelöscht, der Verlauf bleibt',
      options: { reason: 'Warum; steht im Ticket' },
    },
    panel: { name: 'panel', description: 'Eine Schaltfläche posten, die Tickets öffnet', options: {} },
  },
  messages: {
    purge: {
      name: 'aufräumen',
      description: 'Die neuesten passenden Nachrichten löschen; sie werden 30 Tage aufbewahrt',
      options: { user: 'Nur Nachrichten dieses Nutzers' },
    },
  },
  servers: {
    rcon: {
      name: 'rcon',
      description: 'Einen Befehl über RCON auf einem Spielserver ausführen',
      options: {},
    },
  },
  cases: {
    get: { name: 'fall', description: 'Einen Fall nach seiner Nummer zeigen', options: {} },
    list: {
      name: 'verlauf',
      description: 'Die neuesten Fälle einer Person zeigen',
      options: { user: 'Wessen Fälle' },
    },
  },
  members: {
    self: {
      name: 'werbinich',
      description: 'Zeigen, was Sie hier dürfen und durch welche Ihrer Rollen',
      options: {},
    },
  },
  notes: {
    add: {
      name: 'hinzufügen',
      description: 'Eine Notiz über jemanden schreiben',
      options: { user: 'Über wen' },
    },
    list: {
      name: 'liste',
      description: 'Die Notizen über jemanden zeigen',
      options: { user: 'Wessen Notizen' },
    },
    remove: { name: 'entfernen', description: 'Eine Notiz entfernen', options: { user: 'Wessen Notiz' } },
  },
};
