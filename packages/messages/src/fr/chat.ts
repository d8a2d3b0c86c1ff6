import type { Translated } from '#src/translated.ts';

export const chat: Translated<'chat'> = {
  done: 'C’est fait. {what}',
  doneInCase: 'C’est fait. {what} (dossier n° {number})',
  andMore: '… et {count} de plus.',
  untold: {
    closed: '{who} n’a pas pu être informé : cette personne n’accepte pas les messages du bot.',
    absent: '{who} n’a pas pu être informé : cette personne n’est pas membre de ce serveur.',
    notSent:
      '{who} n’a pas été informé : trop de messages sont en cours d’envoi, ou Discord n’a pas pris celui-ci à temps.',
    unknown: 'On ne sait pas si {who} a été informé : Discord n’a pas donné de réponse sûre.',
  },
  rcon: {
    cut: 'Le serveur en a dit plus que ce qui est conservé.',
    silent: 'Le serveur n’a rien dit.',
    inFile: 'Sa réponse est dans le fichier.',
  },
  purge: {
    done: 'C’est fait. {count, plural, one {# message supprimé} many {# de messages supprimés} other {# messages supprimés}}{fewer, select, yes { sur les {asked} demandés} other {}} dans {channel}.{kept, select, yes { Ils sont conservés 30 jours.} other {}}',
    nothing: 'Il n’y a rien à supprimer dans {channel}.',
    question:
      'Cela supprimerait {count, plural, one {# message} many {# de messages} other {# messages}} dans {channel}.{spared, select, none {} other { {spared}}} Rien n’est supprimé avant que vous n’appuyiez sur le bouton, valable 2 minutes.',
    pinned:
      '{count, plural, one {# message correspondant reste} many {# de messages correspondants restent} other {# messages correspondants restent}} : épinglés.',
    old: '{count, plural, one {# message correspondant reste} many {# de messages correspondants restent} other {# messages correspondants restent}} : Discord ne supprime pas en masse ce qui a plus de 14 jours.',
    button: 'Supprimer {count, plural, one {# message} many {# de messages} other {# messages}}',
    notYours: 'Ce bouton est pour la personne qui a posé la question. Rien n’a été supprimé.',
    lapsed: 'Ce bouton n’est plus valable : il sert une fois, pendant 2 minutes. Relancez la commande.',
  },
  strikes: {
    none: 'Il n’y a pas de tels avertissements.',
    head: '**Avertissements**, les plus récents d’abord',
    more: 'Il y en a d’autres : le tableau de bord les montre tous.',
  },
  cases: {
    none: 'Il n’y a aucun dossier de {who} que vous puissiez lire.',
    head: '**{count, plural, one {# dossier} many {# de dossiers} other {# dossiers}}** de {who}, les plus récents d’abord',
    more: '{count, plural, one {# plus ancien est} many {# de plus anciens sont} other {# plus anciens sont}} dans le tableau de bord.',
    kind: '{kind, select, strike {avertissement{severity, select, major { majeur} minor { mineur} other {}}} ban {bannissement} mute {réduction au silence} other {rappel}}',
    line: '`#{number}` {kind} · {who}{reason} · par {by} {date}',
    lineExpired: '`#{number}` {kind} · {who}{reason} · par {by} {date} · expiré',
    lineLifted: '`#{number}` {kind} · {who}{reason} · par {by} {date} · levé',
    title: '**Dossier n° {number} : {kind}** · {who} ({id})',
    by: 'Par {by}, {date}',
    reason: 'Raison : {reason}',
    noReason: 'Raison : aucune',
    until: 'Jusqu’au {date}',
    inForce: 'En vigueur',
    expired: 'Expiré',
    lifted: 'Levé par {by}, {date}{reasoned, select, yes { : {reason}} other {}}',
    somebody: 'quelqu’un',
  },
  self: {
    owner: 'Ce serveur est à vous, vous pouvez donc tout y faire.',
    nothing:
      'Vous ne pouvez ici qu’ouvrir des tickets : aucun de vos rôles n’a reçu de capacité. Le propriétaire les accorde dans le tableau de bord.',
    head: '**Ce que vous pouvez faire ici**, par rôle',
  },
  forms: {
    strike: 'Avertir {name}',
    mute: 'Réduire {name} au silence',
    ban: 'Bannir {name}',
    reason: 'Raison',
    severity: 'Gravité',
    minor: 'mineur',
    major: 'majeur',
    duration: 'Pour combien de temps',
    durationHint: '30m, 2d ou 1w',
    durationOrGood: '30m, 2d ou 1w ; vide pour définitivement',
    evidence: 'Preuve, conservée avec la raison',
    attached: '{count} en pièce jointe',
  },
  tickets: {
    formTitle: 'Ouvrir un ticket',
    formSubject: 'De quoi s’agit-il ?',
    opened: 'C’est fait. Le ticket n° {number} est ouvert : {channel}',
    claimed: 'C’est fait. Le ticket n° {number} est à vous.',
    released: 'C’est fait. Le ticket n° {number} est à nouveau ouvert.',
    closed: 'C’est fait. Le ticket n° {number} est fermé ; sa transcription est conservée.',
    panel: 'C’est fait. Le bouton est dans {channel}.',
    notHere: 'Ceci n’est pas le salon d’un ticket. Donnez la commande dans l’un d’eux.',
  },
  place: {
    noStrike: '{option} : le n° {number} n’est pas un avertissement, mais : {kind}.',
    noServers: 'Ce serveur n’a pas de serveur de jeu. Son propriétaire en ajoute un dans le tableau de bord.',
    noSuchServer: '{option} : aucun ne s’appelle « {name} ». Il y a : {known}.',
  },
};
