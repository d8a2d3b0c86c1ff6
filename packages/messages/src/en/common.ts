/** Words that every page and every answer may need. */
export const common = {
  minutes: '{count, plural, one {# minute} other {# minutes}}',
  hours: '{count, plural, one {# hour} other {# hours}}',
  days: '{count, plural, one {# day} other {# days}}',
  weeks: '{count, plural, one {# week} other {# weeks}}',
  forGood: 'for good',
  kindStrike: 'Strike',
  kindBan: 'Ban',
  kindMute: 'Mute',
  kindWarning: 'Warning',
  severityMinor: 'Minor',
  severityMajor: 'Major',
} as const;
