/** What the bot says in a guild's language: to whom something was done, and in the guild's channels. */
export const notices = {
  target: {
    strike: 'You were given a {severity, select, major {major} other {minor}} strike on **{guild}**.',
    warning: 'You were warned on **{guild}**.',
    mute: 'You were muted on **{guild}** for {length}.',
    ban: 'You were banned from **{guild}** {permanent, select, yes {for good} other {for {length}}}.',
    reason: 'Reason: {reason}',
    strikeEnds: 'It stays on your record there until a moderator removes it.',
    muteEnds: 'It ends by itself: {date}.',
    banEnds: 'It ends by itself: {date}. You may join again then.',
    banStays: 'It does not end by itself; only a moderator can lift it.',
  },
  log: {
    hello: 'From now on, each case of this server is posted here.',
    handUnseen:
      'Bans and timeouts that are made in Discord itself are not recorded: the bot may not read the audit log. Grant its role View Audit Log; what was missed is recorded then.',
    title: 'Case #{number}: {kind}',
    user: 'User',
    by: 'By',
    reason: 'Reason',
    length: 'Length',
    forGood: 'for good',
    from: 'From',
    ended: '{kind, select, strike {Removed} other {Lifted}}',
    ledTo: 'Led to',
    expired: 'Expired',
    endedBy: 'By {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    source:
      '{source, select, token {token {name}} dashboard {the dashboard} chat {chat} system {Bailiff itself} other {by hand in Discord}}',
  },
  tickets: {
    panel:
      'Do you need the moderators? Open a ticket: you get a channel of your own, which only you and they can see.',
    panelButton: 'Open a ticket',
    welcome: 'Ticket #{number}, opened by {who}:',
    hint: 'Moderators take it up with `/ticket claim` and end it with `/ticket close`.',
  },
  rotation: {
    head: 'Tokens of yours in **{guild}** have had the same secret for 180 days:',
    more: 'and {count} more',
    ask: 'They go on working. Please rotate them: {url}',
  },
} as const;
