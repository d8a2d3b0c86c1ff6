import type { Translated } from '#src/translated.ts';

export const notes: Translated<'notes'> = {
  written: 'Zu {user} notiert.',
  removed: 'Die Notiz zu {user} ist entfernt.',
  none: 'Zu {user} gibt es keine Notiz.',
  heading: '**{count, plural, one {# Notiz} other {# Notizen}}** zu {user}, die neueste zuerst',
  line: '{when} {author}: {text}',
  more: '{count, plural, one {# ältere steht} other {# ältere stehen}} im Dashboard.',
};
