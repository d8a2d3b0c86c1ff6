import type { Translated } from '#src/translated.ts';

export const notices: Translated<'notices'> = {
  target: {
    strike:
      'Vous avez reçu un avertissement {severity, select, major {majeur} other {mineur}} sur **{guild}**.',
    warning: 'Vous avez reçu un rappel sur **{guild}**.',
    mute: 'Vous avez été réduit au silence sur **{guild}** pour {length}.',
    ban: 'Vous avez été banni de **{guild}** {permanent, select, yes {définitivement} other {pour {length}}}.',
    reason: 'Raison : {reason}',
    strikeEnds: 'Il y reste inscrit jusqu’à ce que la modération le retire.',
    muteEnds: 'Cela prend fin de soi-même : {date}.',
    banEnds: 'Cela prend fin de soi-même : {date}. Vous pourrez alors revenir.',
    banStays: 'Cela ne prend pas fin de soi-même ; seule la modération peut y mettre fin.',
  },
  log: {
    hello: 'Désormais, chaque dossier de ce serveur est publié ici.',
    handUnseen:
      'Les bannissements et exclusions temporaires effectués dans Discord même ne sont pas enregistrés : le bot ne peut pas lire les logs du serveur. Accordez à son rôle « Voir les logs du serveur » ; ce qui manque sera alors enregistré.',
    title: 'Dossier n° {number} : {kind}',
    user: 'Utilisateur',
    by: 'Par',
    reason: 'Raison',
    length: 'Durée',
    forGood: 'définitivement',
    from: 'Origine',
    ended: '{kind, select, strike {Retiré} other {Levé}}',
    ledTo: 'A entraîné',
    expired: 'Expiré',
    endedBy: 'Par {by}, {date}{reasoned, select, yes { : {reason}} other {}}',
    source:
      '{source, select, token {jeton {name}} dashboard {tableau de bord} chat {discussion} system {Bailiff lui-même} other {à la main dans Discord}}',
  },
  tickets: {
    panel: 'Besoin de la modération ? Ouvrez un ticket : vous seul et elle voyez son salon.',
    panelButton: 'Ouvrir un ticket',
    welcome: 'Ticket n° {number}, ouvert par {who} :',
    hint: 'La modération le prend en charge avec `/ticket claim` et le termine avec `/ticket close`.',
  },
  rotation: {
    head: 'Des jetons à vous sur **{guild}** ont le même secret depuis 180 jours :',
    more: 'et {count} de plus',
    ask: 'Ils continuent de fonctionner. Merci de renouveler leurs secrets : {url}',
  },
};
