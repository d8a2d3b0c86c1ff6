import type { Translated } from '#src/translated.ts';

export const docs: Translated<'docs'> = {
  openApi: 'Document OpenAPI',
  lead: 'Modérez un serveur depuis vos propres programmes. Les exemples se collent dans un shell.',
  filledIn: 'Ils sont remplis avec votre serveur.',
  putYourGuild: 'Mettez l’identifiant de votre serveur à la place de {id}.',
};
