import type { Translated } from '#src/translated.ts';

export const notes: Translated<'notes'> = {
  written: 'Nota guardada sobre {user}.',
  removed: 'Se eliminó la nota sobre {user}.',
  none: 'No hay ninguna nota sobre {user}.',
  heading:
    '**{count, plural, one {# nota} many {# notas} other {# notas}}** sobre {user}, la más reciente primero',
  line: '{when} {author}: {text}',
  more: '{count, plural, one {Hay # más antigua} many {Hay # más antiguas} other {Hay # más antiguas}} en el panel.',
};
