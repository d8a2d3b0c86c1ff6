import type { Translated } from '#src/translated.ts';

export const signIn: Translated<'signIn'> = {
  title: 'Connexion',
  heading: 'Se connecter à Bailiff',
  lead: 'Pour les propriétaires et modérateurs des serveurs dont Bailiff s’occupe. Discord nous transmet votre identifiant, votre nom et votre image, rien d’autre.',
  withDiscord: 'Se connecter avec Discord',
  opening: 'Ouverture de Discord …',
  noAnswer: 'Le serveur n’a pas répondu. Réessayez dans un instant.',
  failed: 'Vous n’êtes pas connecté',
  failures: {
    OAuthSignin: 'Discord est injoignable. Réessayez dans un instant.',
    OAuthCallback: 'Discord n’a pas confirmé la connexion. Vous l’avez peut-être annulée ; réessayez.',
    Callback: 'La connexion n’a pas pu aboutir. Réessayez dans un instant.',
    other: 'La connexion n’a pas fonctionné. Réessayez.',
  },
  writing: 'Vous écrivez un programme ?',
  readReference: 'Lire la référence de l’API',
};
