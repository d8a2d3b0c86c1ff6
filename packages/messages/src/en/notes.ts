/** What is said of notes on people. */
export const notes = {
  written: 'Noted on {user}.',
  removed: 'The note on {user} is removed.',
  none: 'There is no note on {user}.',
  heading: '**{count, plural, one {# note} other {# notes}}** on {user}, newest first',
  line: '{when} {author}: {text}',
  more: '{count, plural, one {# older one is} other {# older ones are}} in the dashboard.',
} as const;
