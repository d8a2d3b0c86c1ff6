import type { Translated } from '#src/translated.ts';

export const operations: Translated<'operations'> = {
  unnamed: {
    guild: 'serveur {id}',
    user: 'membre {id}',
    channel: 'salon {id}',
    strike: 'avertissement {id}',
    server: 'serveur de jeu {id}',
  },
  strikes: {
    add: 'Donner un avertissement {severity, select, major {majeur} other {mineur}} à {user} sur {guild}{hasPlayer, select, yes { (joueur {player})} other {}}{hasInGameId, select, yes { (identifiant en jeu {inGameId})} other {}}{hasCategory, select, yes { (catégorie {category})} other {}} : {reason}',
    remove: 'Retirer {strike} sur {guild}{reasoned, select, yes { : {reason}} other {}}',
  },
  bans: {
    add: 'Bannir {user} de {guild} {permanent, select, yes {définitivement} other {pour {length}}}{deletes, select, yes { et supprimer ses messages, en remontant jusqu’à {deleted}} other {}} : {reason}',
    lift: 'Lever le bannissement de {user} sur {guild}{reasoned, select, yes { : {reason}} other {}}',
  },
  mutes: {
    add: 'Réduire {user} au silence sur {guild} pour {length} : {reason}',
    lift: 'Rendre la parole à {user} sur {guild}{reasoned, select, yes { : {reason}} other {}}',
  },
  messages: {
    purge:
      'Supprimer {count, plural, one {# message} many {# de messages} other {# messages}} dans {channel} sur {guild}{hasUser, select, yes {, de {user}} other {}}{botsOnly, select, yes {, de bots} other {}}{hasText, select, yes {, qui contiennent {text}} other {}}{hasBefore, select, yes {, avant {before}} other {}}{hasAfter, select, yes {, après {after}} other {}}, {withPinned, select, yes {épinglés compris} other {sauf les épinglés}}{reasoned, select, yes { : {reason}} other {}}',
  },
  servers: {
    rcon: 'Exécuter {command} sur {server}, serveur Discord : {guild}',
  },
};
