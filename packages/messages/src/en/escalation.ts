/** What is said of the sanctions that strikes lead to. */
export const escalation = {
  reason: '{points, plural, one {# point} other {# points}}: strike #{number}',
  points: '{user} has {before}; with this strike {after}.',
  counted: '{count, plural, one {# point} other {# points}}',
  wouldMute: 'This leads to a mute for {length}, unless one is in force that ends later.',
  wouldBan:
    'This leads to a ban {permanent, select, yes {for good} other {for {length}, unless one is in force that ends later}}.',
  question: 'Nothing is done before you press the button, which works for 2 minutes.',
  changed: 'Meanwhile something changed, so nothing was done.',
  confirm: { ban: 'Strike, and ban', mute: 'Strike, and mute' },
  notYours: 'This button is for the moderator who asked. Nothing was done.',
  lapsed: 'This button has lapsed: it works once, and for 2 minutes. Give the command again.',
  muted: '{points, plural, one {# point} other {# points}}: muted for {length} (case #{number}).',
  banned:
    '{points, plural, one {# point} other {# points}}: banned {permanent, select, yes {for good} other {for {length}}} (case #{number}).',
  notDone: {
    ban: 'The ban that follows did not happen. {problem}',
    mute: 'The mute that follows did not happen. {problem}',
  },
  superseded: {
    ban: 'A ban that ends later is in force already.',
    mute: 'A mute that ends later is in force already.',
  },
  underWay: {
    ban: 'The ban that follows is still under way; `/history` shows it once it is done.',
    mute: 'The mute that follows is still under way; `/history` shows it once it is done.',
  },
  logNotDone: {
    ban: 'Strike #{number} of {user} leads to a ban, which did not happen. {problem}',
    mute: 'Strike #{number} of {user} leads to a mute, which did not happen. {problem}',
  },
} as const;
