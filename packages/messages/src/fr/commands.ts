import type { Translated } from '#src/translated.ts';

export const commands: Translated<'commands'> = {
  groups: {
    strike: { name: 'avertissement', description: 'Les avertissements des membres de ce serveur' },
    ticket: { name: 'ticket', description: 'Parler à la modération dans un salon à vous' },
    note: { name: 'note', description: 'Ce que la modération doit savoir de quelqu’un ; elle seule le voit' },
  },
  menus: {
    strike: 'Avertir',
    mute: 'Réduire au silence',
    ban: 'Bannir',
    history: 'Historique',
    strikeForMessage: 'Avertir pour ce message',
    purgeFromHere: 'Purger à partir d’ici',
  },
  choices: { minor: 'mineur', major: 'majeur' },
  options: {
    user: { name: 'utilisateur', description: 'Qui' },
    reason: { name: 'raison', description: 'Pourquoi ; figure dans le dossier et dans le journal d’audit' },
    severity: { name: 'gravité', description: 'La gravité des faits' },
    active: { name: 'actif', description: 'Seulement ceux qui comptent, ou seulement les autres' },
    playerName: { name: 'nom_du_joueur', description: 'Nom dans le jeu' },
    inGameId: { name: 'id_en_jeu', description: 'Identifiant dans le jeu' },
    category: { name: 'catégorie', description: 'Type d’infraction' },
    case: { name: 'dossier', description: 'Numéro de son dossier, par exemple 12' },
    duration: { name: 'durée', description: 'Pour combien de temps, par exemple 30m, 2d ou 1w' },
    deleteMessage: {
      name: 'supprimer_messages',
      description: 'Jusqu’où remonter pour supprimer ses messages, par exemple 30m, 2d ou 1w',
    },
    subject: { name: 'sujet', description: 'De quoi il s’agit' },
    channel: { name: 'salon', description: 'Où ; ce salon, si vous ne dites rien' },
    count: { name: 'nombre', description: 'Combien de messages au plus' },
    contains: { name: 'contient', description: 'Seulement les messages avec ce texte' },
    botsOnly: { name: 'bots_seulement', description: 'Seulement les messages de bots' },
    before: { name: 'avant', description: 'Seulement les messages avant cet identifiant ou cette date' },
    after: { name: 'après', description: 'Seulement les messages après cet identifiant ou cette date' },
    includePinned: { name: 'épinglés_compris', description: 'Supprimer aussi les messages épinglés' },
    server: { name: 'serveur', description: 'Le serveur de jeu' },
    command: { name: 'commande', description: 'Une ligne de 1446 octets au plus' },
    number: { name: 'numéro', description: 'Numéro du dossier, par exemple 12' },
    text: { name: 'texte', description: 'Ce qu’il faut retenir' },
    note: { name: 'note', description: 'Quelle note' },
  },
  strikes: {
    list: {
      name: 'liste',
      description: 'Lister les avertissements, les plus récents d’abord',
      options: {
        user: 'Seulement les avertissements de cette personne',
        severity: 'Seulement les avertissements de cette gravité',
        active: 'Seulement ceux qui comptent, ou seulement ceux retirés',
      },
    },
    add: {
      name: 'ajouter',
      description: 'Donner un avertissement',
      options: { user: 'Qui reçoit l’avertissement' },
    },
    remove: {
      name: 'retirer',
      description: 'Retirer un avertissement ; il reste au dossier comme retiré',
      options: {},
    },
  },
  bans: {
    add: {
      name: 'bannir',
      description: 'Bannir quelqu’un, définitivement ou pour un temps',
      options: {
        user: 'Qui est banni ; pas forcément un membre',
        duration: 'Durée du bannissement, par exemple 30m, 2d, 1w ou permanent',
      },
    },
    lift: { name: 'débannir', description: 'Lever un bannissement', options: {} },
  },
  mutes: {
    add: {
      name: 'réduire-au-silence',
      description: 'Réduire quelqu’un au silence pour un temps',
      options: { user: 'Qui est réduit au silence' },
    },
    lift: { name: 'rendre-la-parole', description: 'Rendre la parole à quelqu’un', options: {} },
  },
  tickets: {
    open: { name: 'ouvrir', description: 'Ouvrir un ticket, dans son propre salon', options: {} },
    claim: { name: 'prendre', description: 'Prendre un ticket en charge', options: {} },
    unclaim: {
      name: 'libérer',
      description: 'Libérer un ticket pris en charge, pour qu’il soit à nouveau ouvert',
      options: {},
    },
    close: {
      name: 'fermer',
      description: 'Fermer un ticket : son salon est supprimé, sa transcription conservée',
      options: { reason: 'Pourquoi ; figure dans le ticket' },
    },
    panel: { name: 'panneau', description: 'Publier un bouton qui ouvre des tickets', options: {} },
  },
  messages: {
    purge: {
      name: 'purger',
      description: 'Supprimer les derniers messages correspondants ; ils sont conservés 30 jours',
      options: { user: 'Seulement les messages de cette personne' },
    },
  },
  servers: {
    rcon: { name: 'rcon', description: 'Exécuter une commande sur un serveur de jeu par RCON', options: {} },
  },
  cases: {
    get: { name: 'dossier', description: 'Afficher un dossier par son numéro', options: {} },
    list: {
      name: 'historique',
      description: 'Afficher les derniers dossiers de quelqu’un',
      options: { user: 'Les dossiers de qui' },
    },
  },
  members: {
    self: {
      name: 'qui-suis-je',
      description: 'Afficher ce que vous pouvez faire ici, et grâce à quel rôle',
      options: {},
    },
  },
  notes: {
    add: { name: 'ajouter', description: 'Écrire une note sur quelqu’un', options: { user: 'Sur qui' } },
    list: {
      name: 'liste',
      description: 'Afficher les notes sur quelqu’un',
      options: { user: 'Les notes sur qui' },
    },
    remove: { name: 'retirer', description: 'Supprimer une note', options: { user: 'La note sur qui' } },
  },
};
