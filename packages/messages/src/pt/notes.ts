import type { Translated } from '#src/translated.ts';

export const notes: Translated<'notes'> = {
  written: 'Anotado sobre {user}.',
  removed: 'A nota sobre {user} foi removida.',
  none: 'Não há nenhuma nota sobre {user}.',
  heading:
    '**{count, plural, one {# nota} many {# notas} other {# notas}}** sobre {user}, a mais recente primeiro',
  line: '{when} {author}: {text}',
  more: '{count, plural, one {Há # mais antiga} many {Há # mais antigas} other {Há # mais antigas}} no painel.',
};
