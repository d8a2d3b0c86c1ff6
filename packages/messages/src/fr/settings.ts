import type { Translated } from '#src/translated.ts';

export const settings: Translated<'settings'> = {
  ownerElsewhere:
    'Le propriétaire de {guild} décide ici de ce que les rôles peuvent faire, des motifs proposés et de ce qu’entraînent les avertissements.',
  lead: 'Comment Bailiff fonctionne dans {guild}. Les changements prennent effet aussitôt et figurent dans le journal d’audit.',
  save: 'Enregistrer les modifications',
  saved: 'Enregistré.',
  nothingChanged: 'Rien n’est modifié',
  roles: {
    title: 'Ce que les rôles peuvent faire',
    lead: 'Vous pouvez tout faire. Les membres peuvent ce qui est accordé ici à leurs rôles : dans le chat, le tableau de bord et avec leurs jetons.',
    notInForce: 'Rien de ceci n’est encore en vigueur',
    notInForceLead:
      'Les coches sont une proposition tirée des permissions de vos rôles dans Discord. Modifiez ce que vous voulez, puis confirmez ; d’ici là, vous seul pouvez agir.',
    caption: 'Capacités de chaque rôle',
    role: 'Rôle',
    confirm: 'Confirmer ces droits',
    propose: 'Proposer d’après les permissions Discord',
    unsaved:
      '{count, plural, one {# rôle modifié} many {# rôles modifiés} other {# rôles modifiés}}, pas encore enregistré',
    saved: 'Enregistré. En vigueur dès le prochain appel.',
    keys: 'Les flèches passent d’une coche à l’autre.',
  },
  guild: {
    save: 'Enregistrer ces paramètres',
    title: 'Langue, messages et salon de journal',
    language: 'Langue du serveur',
    languageHint:
      'Ce que Bailiff écrit dans les salons et aux membres. Chacun choisit la langue du tableau de bord et des réponses.',
    notify: 'Prévenir les membres de ce qui leur est appliqué',
    notifyHint:
      'Par message privé : avant un bannissement, après un avertissement ou une réduction au silence. Aucun modérateur n’est nommé.',
    channel: 'Salon de journal',
    channelHint:
      'Chaque dossier y est publié. Dans Discord, ouvrez le menu du salon, choisissez « Copier le lien » et collez-le. Vide : pas de salon de journal.',
    channelNot:
      'Ce n’est ni un lien ni un identifiant de salon. Il ressemble à https://discord.com/channels/… ou à un nombre de 17 à 20 chiffres.',
    channelElsewhere: 'Ce salon appartient à un autre serveur.',
    channelNow: 'Actuel : {channel}',
    problemTitle: 'Les dossiers ne peuvent pas être publiés dans le salon de journal',
    problem: {
      unknown_channel: 'Discord ne connaît pas de tel salon dans ce serveur. Choisissez-en un autre.',
      missing_permission:
        'Le bot ne peut pas y écrire. Accordez à son rôle « Voir le salon », « Envoyer des messages » et « Intégrer des liens » dans les permissions du salon.',
      refused: 'Discord refuse ce qui y est publié. Choisissez un salon textuel.',
    },
  },
  presets: {
    title: 'Motifs préparés',
    lead: 'Les modérateurs les choisissent en saisissant un motif, dans le chat ou ici. Un motif libre reste possible.',
    add: 'Ajouter un motif',
    addTitle: 'Un nouveau motif préparé',
    editTitle: 'Modifier {name}',
    none: 'Aucun motif préparé',
    noneLead: 'Notez les motifs que vos modérateurs donnent le plus souvent.',
    full: 'Un serveur en a au plus {count}. Retirez-en un dont personne n’a besoin.',
    caption: 'Motifs préparés',
    name: 'Nom',
    nameHint: 'Ce qui permet de le trouver. Seuls les modérateurs le voient.',
    kind: 'Pour',
    reason: 'Motif',
    with: 'Avec',
    severity: 'Gravité',
    lasts: 'Durée',
    actions: 'Actions',
    editNamed: 'Modifier {name}',
    removeNamed: 'Retirer {name}',
    removeTitle: 'Retirer {name} ?',
    removeLead: 'Ce qui a été donné avec lui reste tel quel.',
    removed: '{name} est retiré.',
    saved: '{name} est enregistré.',
  },
  escalation: {
    save: 'Enregistrer ces règles',
    title: 'Ce qu’entraînent les avertissements',
    lead: 'Les avertissements valent des points. Qui atteint un palier est aussitôt réduit au silence ou banni ; le modérateur le voit avant de confirmer. Les avertissements donnés par jeton comptent, mais n’entraînent rien à eux seuls.',
    minor: 'Points d’un avertissement mineur',
    major: 'Points d’un avertissement majeur',
    decay: 'Jours pendant lesquels un avertissement compte',
    decayHint: 'Vide : il compte toujours',
    steps: 'Paliers',
    step: 'Palier {number}',
    points: 'Dès (points)',
    sanction: 'Ce qui suit',
    mute: 'Réduction au silence',
    ban: 'Bannissement',
    addStep: 'Ajouter un palier',
    removeStep: 'Retirer le palier {number}',
    noSteps: 'Sans palier, les avertissements sont comptés et n’entraînent rien.',
    full: 'Il y a au plus {count} paliers',
    preview: 'Ce que cela signifie',
    previewMute:
      '{severity, select, major {{count, plural, one {# avertissement majeur} many {# avertissements majeurs} other {# avertissements majeurs}}} other {{count, plural, one {# avertissement mineur} many {# avertissements mineurs} other {# avertissements mineurs}}}}{within, select, yes { en {days, plural, one {# jour} many {# jours} other {# jours}}} other {}} → réduction au silence, {length}',
    previewBan:
      '{severity, select, major {{count, plural, one {# avertissement majeur} many {# avertissements majeurs} other {# avertissements majeurs}}} other {{count, plural, one {# avertissement mineur} many {# avertissements mineurs} other {# avertissements mineurs}}}}{within, select, yes { en {days, plural, one {# jour} many {# jours} other {# jours}}} other {}} → bannissement, {length}',
    for: '{length}',
  },
  tier: {
    title: 'Formule',
    free: 'Ce serveur a la formule <b>free</b> : tout dans le chat et le tableau de bord, sans jetons.',
    paid: 'Ce serveur a la formule <b>{tier}</b> : tout, y compris les jetons pour scripts et assistants.',
    change:
      'La formule est fixée par la personne qui exploite ce Bailiff, ou par un abonnement du serveur dans Discord. Un serveur qui repasse à free perd ses jetons.',
  },
  browser: 'Ce navigateur',
};
