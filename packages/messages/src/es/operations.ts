import type { Translated } from '#src/translated.ts';

export const operations: Translated<'operations'> = {
  unnamed: {
    guild: 'servidor {id}',
    user: 'miembro {id}',
    channel: 'canal {id}',
    strike: 'falta {id}',
    server: 'servidor de juego {id}',
  },
  strikes: {
    add: 'Poner una falta {severity, select, major {grave} other {leve}} a {user} en {guild}{hasPlayer, select, yes { (jugador {player})} other {}}{hasInGameId, select, yes { (ID en el juego {inGameId})} other {}}{hasCategory, select, yes { (categoría {category})} other {}}: {reason}',
    remove: 'Retirar {strike} en {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  bans: {
    add: 'Banear a {user} en {guild} {permanent, select, yes {de forma permanente} other {durante {length}}}{deletes, select, yes { y borrar sus mensajes de hasta hace {deleted}} other {}}: {reason}',
    lift: 'Levantar el baneo de {user} en {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  mutes: {
    add: 'Silenciar a {user} en {guild} durante {length}: {reason}',
    lift: 'Levantar el silencio de {user} en {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  messages: {
    purge:
      'Borrar {count, plural, one {# mensaje} many {# de mensajes} other {# mensajes}} en {channel} en {guild}{hasUser, select, yes {, de {user}} other {}}{botsOnly, select, yes {, de bots} other {}}{hasText, select, yes {, que contengan {text}} other {}}{hasBefore, select, yes {, anteriores a {before}} other {}}{hasAfter, select, yes {, posteriores a {after}} other {}}, {withPinned, select, yes {también los fijados} other {salvo los fijados}}{reasoned, select, yes {: {reason}} other {}}',
  },
  servers: {
    rcon: 'Ejecutar {command} en {server}, servidor de Discord: {guild}',
  },
};
