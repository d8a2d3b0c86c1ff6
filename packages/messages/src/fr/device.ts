import type { Translated } from '#src/translated.ts';

export const device: Translated<'device'> = {
  title: 'Connecter un client',
  lead: 'Un client sur votre ordinateur, comme Bailiff MCP, affiche un code de huit lettres. Saisissez-le ici pour donner au client un jeton pour l’un de vos serveurs.',
  freeTier: 'offre gratuite ; les jetons font partie de l’offre payante',
  botAway: 'le bot n’est pas connecté ; réessayez dans une minute',
  noneOwned: 'Vous ne possédez aucun serveur où Bailiff est présent',
  noneOwnedText:
    'Seul le propriétaire d’un serveur peut laisser entrer un client. Ajoutez Bailiff à l’un de vos serveurs ou demandez à son propriétaire de saisir le code.',
  add: 'Ajouter Bailiff à un serveur',
  noneFit: 'Aucun de vos serveurs ne peut accueillir de client maintenant',
  noClient: 'Pas encore de client ?',
  noClientText: 'Exécutez ceci dans un terminal. Le code s’affiche.',
  thenConfigure: 'Demandez ensuite à votre assistant de le démarrer :',

  code: 'Code',
  codeHint:
    'Tel que le client l’affiche. Les codes valent {minutes, plural, one {# minute} many {# de minutes} other {# minutes}}.',
  codeGiven: 'Le lien a apporté ce code. Ne continuez que si votre propre client affiche le même.',
  continue: 'Continuer',
  looking: 'Recherche…',
  asks: '{client} demande un jeton',
  client: 'Client',
  fromAddress: 'Depuis l’adresse',
  asked: 'Demandé',
  lapsesIn: 'Caduc dans',
  guild: 'Serveur',
  guildHint: 'Le jeton ne vaut que pour ce serveur : 90 jours, avec tout ce que vous y pouvez faire.',
  didYou: 'Avez-vous démarré ce client vous-même, à l’instant ?',
  didYouText:
    'La personne qui l’utilise agira en votre nom. Les appels destructeurs attendent toujours votre approbation.',
  authorise: 'Autoriser',
  refuse: 'Refuser',
  lapsed: 'Le code est caduc',
  lapsedText:
    'Les codes valent {minutes, plural, one {# minute} many {# de minutes} other {# minutes}}. Recommencez dans le client pour en obtenir un nouveau.',
  another: 'Saisir un autre code',
  refused: 'Refusé',
  refusedText: '{client} n’obtient pas de jeton. Vous pouvez fermer cette page.',
  authorised: 'Autorisé',
  authorisedText:
    '{client} récupère son jeton pour {guild} en quelques secondes. Vous pouvez fermer cette page.',
  seeTokens: 'Voir les jetons de {guild}',
};
