import type { Translated } from '#src/translated.ts';

export const operations: Translated<'operations'> = {
  unnamed: {
    guild: 'Server {id}',
    user: 'Mitglied {id}',
    channel: 'Kanal {id}',
    strike: 'Verwarnung {id}',
    server: 'Spielserver {id}',
  },
  strikes: {
    add: '{severity, select, major {Schwere} other {Leichte}} Verwarnung für {user} auf {guild}{hasPlayer, select, yes { (Spieler {player})} other {}}{hasInGameId, select, yes { (Spiel-ID {inGameId})} other {}}{hasCategory, select, yes { (Kategorie {category})} other {}}: {reason}',
    remove: '{strike} auf {guild} zurücknehmen{reasoned, select, yes {: {reason}} other {}}',
  },
  bans: {
    add: '{user} auf {guild} {permanent, select, yes {auf Dauer} other {für {length}}} bannen{deletes, select, yes { und die Nachrichten der letzten {deleted} löschen} other {}}: {reason}',
    lift: 'Bann von {user} auf {guild} aufheben{reasoned, select, yes {: {reason}} other {}}',
  },
  mutes: {
    add: '{user} auf {guild} für {length} stummschalten: {reason}',
    lift: 'Stummschaltung von {user} auf {guild} aufheben{reasoned, select, yes {: {reason}} other {}}',
  },
  messages: {
    purge:
      '{count, plural, one {# Nachricht} other {# Nachrichten}} in {channel} auf {guild} löschen{hasUser, select, yes {, von {user}} other {}}{botsOnly, select, yes {, von Bots} other {}}{hasText, select, yes {, mit dem Text {text}} other {}}{hasBefore, select, yes {, vor {before}} other {}}{hasAfter, select, yes {, nach {after}} other {}}, {withPinned, select, yes {auch angepinnte} other {aber keine angepinnten}}{reasoned, select, yes {: {reason}} other {}}',
  },
  servers: {
    rcon: '{command} auf {server} ausführen, auf {guild}',
  },
};
