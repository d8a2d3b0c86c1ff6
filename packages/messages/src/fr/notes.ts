import type { Translated } from '#src/translated.ts';

export const notes: Translated<'notes'> = {
  written: 'Note ajoutée sur {user}.',
  removed: 'La note sur {user} est supprimée.',
  none: 'Il n’y a aucune note sur {user}.',
  heading:
    '**{count, plural, one {# note} many {# notes} other {# notes}}** sur {user}, la plus récente d’abord',
  line: '{when} {author}: {text}',
  more: '{count, plural, one {# plus ancienne se trouve} many {# plus anciennes se trouvent} other {# plus anciennes se trouvent}} dans le tableau de bord.',
};
