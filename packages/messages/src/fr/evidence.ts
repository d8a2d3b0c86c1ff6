import type { Translated } from '#src/translated.ts';

export const evidence: Translated<'evidence'> = {
  caption: 'Dossier nº {number} : fichiers du message pour lequel {user} a été averti',
  kept: '{count, plural, one {Le fichier joint est conservé} many {Les # fichiers joints sont conservés} other {Les # fichiers joints sont conservés}} : {link}',
  noChannel:
    '{count, plural, one {Le fichier joint n’a pas été conservé} many {Les # fichiers joints n’ont pas été conservés} other {Les # fichiers joints n’ont pas été conservés}} : ce serveur n’a pas de salon de journal. Son propriétaire le choisit dans le tableau de bord.',
  tooLarge:
    '{count, plural, one {# fichier joint n’a pas été conservé} many {# fichiers joints n’ont pas été conservés} other {# fichiers joints n’ont pas été conservés}} : plus de {megabytes} Mo.',
  unread:
    '{count, plural, one {# fichier joint n’a pas été conservé} many {# fichiers joints n’ont pas été conservés} other {# fichiers joints n’ont pas été conservés}} : Discord ne les a pas fournis.',
  unposted:
    '{count, plural, one {Le fichier joint n’a pas été conservé} many {Les # fichiers joints n’ont pas été conservés} other {Les # fichiers joints n’ont pas été conservés}} : le bot n’a pas pu publier dans {channel}.',
  forgotten:
    'Les pièces jointes n’ont pas été conservées : le formulaire est resté ouvert trop longtemps, ou le bot a redémarré.',
};
