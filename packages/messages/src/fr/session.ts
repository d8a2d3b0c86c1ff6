import type { Translated } from '#src/translated.ts';

export const session: Translated<'session'> = {
  ended: 'Votre session est terminée et rien n’a été fait. Ce que vous avez saisi reste ici.',
  signInAgain: 'Se reconnecter dans un nouvel onglet',
  signedInAgain: 'Vous êtes de nouveau connecté. Envoyez encore une fois.',
  backTitle: 'Vous êtes connecté',
  backLead: 'Retournez à l’onglet d’où vous venez. Votre saisie y est toujours ; envoyez-la encore une fois.',
};
