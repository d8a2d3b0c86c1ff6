import type { Translated } from '#src/translated.ts';

export const errors: Translated<'errors'> = {
  notDone: 'Non effectué. {why}',
  notCertain: 'Incertain. {why}',
  request: 'Requête {id}',
  ours: 'Une erreur s’est produite de notre côté. Prévenez l’opérateur du bot.',
  owner: 'Le serveur appartient à {owner}.',
  capabilityDenied:
    'Vous ne pouvez pas faire cela : il faut la capacité {missing}, que le propriétaire du serveur accorde dans le tableau de bord.',
  alreadyClaimed: 'Quelqu’un d’autre a pris ce ticket en charge.',
  rateLimited:
    'Trop de demandes à la fois. Réessayez dans {seconds, plural, one {# seconde} many {# de secondes} other {# secondes}}.',
  forbidden: {
    targetIsOwner: 'Le propriétaire du serveur ne peut pas être visé.',
    targetIsBot: 'Le bot ne peut pas être visé.',
    targetIsSelf: 'Vous ne pouvez pas faire cela à vous-même.',
    roleHierarchy: 'Le rôle le plus élevé de cette personne n’est pas inférieur au vôtre et à celui du bot.',
    botMissingPermission:
      '{count, plural, =0 {Il manque au bot une permission Discord nécessaire. Accordez-la à son rôle} one {Il manque au bot la permission Discord {permissions}. Accordez-la à son rôle} many {Il manque au bot une permission Discord. Accordez à son rôle {permissions}} other {Il manque au bot une permission Discord. Accordez à son rôle {permissions}}}, sur le serveur et dans le salon.',
    commandNotAllowed: 'La politique de commandes de ce serveur de jeu refuse la commande.',
    notClaimer: 'Seule la personne qui a pris le ticket, ou le propriétaire du serveur, peut le libérer.',
    ticketLimit:
      'Vous avez 5 tickets ouverts, c’est le maximum. Écrivez dans l’un d’eux, ou demandez qu’on en ferme un.',
    channelLimit:
      'Ce serveur a autant de salons que Discord le permet. Fermez d’abord un ticket ou supprimez un salon.',
    ownerOnly: 'Seul le propriétaire du serveur peut faire cela.',
    noteLimit: 'Cette personne a déjà autant de notes que possible. Supprimez-en une d’abord.',
    presetLimit: 'Le serveur a déjà autant de raisons prédéfinies que possible. Supprimez-en une d’abord.',
    escalationChanged:
      'Ce que cet avertissement entraîne a changé entre-temps. Vérifiez et décidez à nouveau.',
    notDue: 'Ce n’est plus dû : les avertissements ou les règles ont changé.',
  },
  unavailable: {
    bot: '{outcome, select, unknown {Le bot n’a pas répondu à temps : on ne sait pas encore si c’est fait.} other {Le bot ne peut pas le faire pour l’instant. Rien n’a été fait ; réessayez dans une minute.}}',
    discord:
      '{outcome, select, unknown {Discord n’a pas donné de réponse sûre : on ne sait pas encore si c’est fait. Le journal d’audit le dira.} other {Discord n’a pas fait sa part. Rien n’a été fait ; réessayez.}}',
    gameServer:
      '{outcome, select, unknown {La commande a été envoyée, mais le serveur de jeu n’a pas répondu entièrement : elle a peut-être été exécutée. Elle n’est pas renvoyée.} other {Le serveur de jeu est injoignable. Rien n’a été exécuté.}}',
    database:
      '{outcome, select, unknown {La base de données ne répond pas : on ne sait pas encore si c’est fait.} other {La base de données ne répond pas. Rien n’a été fait ; réessayez dans quelques secondes.}}',
  },
  notFound: {
    strike: 'Cet avertissement n’est plus en vigueur : il a déjà été retiré.',
    user: 'Discord ne connaît pas cette personne.',
    ban: 'Cette personne n’est pas bannie.',
    member: 'Cette personne n’est pas membre du serveur.',
    mute: 'Cette personne n’est pas réduite au silence.',
    case: 'Ce serveur n’a pas de dossier {number}.',
    channel: 'Ce serveur n’a pas de tel salon.',
    ticket: 'Ce ticket est déjà fermé.',
    server: 'Ce serveur n’a pas de tel serveur de jeu.',
    note: 'Cette note n’existe plus.',
  },
  issues: {
    at: '{option} : {problem}',
    required: 'est obligatoire',
    oneOf: 'doit être l’une de ces valeurs : {values}',
    wholeNumber: 'doit être un nombre entier',
    leastCharacters:
      'doit avoir au moins {count, plural, one {# caractère} many {# de caractères} other {# caractères}}',
    mostCharacters:
      'doit avoir au plus {count, plural, one {# caractère} many {# de caractères} other {# caractères}}',
    least: 'doit être au moins {bound}',
    most: 'doit être au plus {bound}',
    noLength: '« {text} » n’est pas une durée. Écrivez par exemple 30m, 2d ou 1w.',
    invalid: 'n’est pas valide',
  },
};
