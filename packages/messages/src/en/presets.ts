/** What is said of preset reasons, in chat. */
export const presets = {
  gone: 'This preset reason does not exist any more. Pick another one, or write a reason.',
  severityNeeded: 'Say how severe it was, or pick a preset reason that does.',
  durationNeeded: 'Say for how long, or pick a preset reason that does.',
} as const;
