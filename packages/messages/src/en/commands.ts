/**
 * What Discord shows of the commands, menus and their options; those of an operation stand under its name. Discord's rules
 * hold: names in lower case, of letters, digits, `-` and `_`, at most 32; descriptions of at most 100 characters; no two
 * of the same name beside each other. An option that an operation does not describe is described as it always is.
 */
export const commands = {
  groups: {
    strike: { name: 'strike', description: 'Strikes of the members of this server' },
    ticket: { name: 'ticket', description: 'Talk to the moderators in a channel of your own' },
    note: { name: 'note', description: 'What moderators should know of somebody; only they see it' },
  },
  menus: {
    strike: 'Strike',
    mute: 'Mute',
    ban: 'Ban',
    history: 'History',
    strikeForMessage: 'Strike for this message',
    purgeFromHere: 'Purge from here',
  },
  choices: { minor: 'minor', major: 'major' },
  options: {
    user: { name: 'user', description: 'Who' },
    reason: { name: 'reason', description: 'Why, as the case and Discord’s audit log will show it' },
    severity: { name: 'severity', description: 'How grave it was' },
    active: { name: 'active', description: 'Only those that count, or only those that do not' },
    playerName: { name: 'player_name', description: 'Name in the game' },
    inGameId: { name: 'in_game_id', description: 'Id in the game' },
    category: { name: 'category', description: 'Kind of offence' },
    case: { name: 'case', description: 'Number of its case, such as 12' },
    duration: { name: 'duration', description: 'For how long, such as 30m, 2d or 1w' },
    deleteMessage: {
      name: 'delete_message',
      description: 'How far back their messages are deleted, such as 30m, 2d or 1w',
    },
    subject: { name: 'subject', description: 'What it is about' },
    channel: { name: 'channel', description: 'Where; this channel, if you say nothing' },
    count: { name: 'count', description: 'How many messages at most' },
    contains: { name: 'contains', description: 'Only messages with this text' },
    botsOnly: { name: 'bots_only', description: 'Only messages of bots' },
    before: { name: 'before', description: 'Only messages before this message id or time' },
    after: { name: 'after', description: 'Only messages after this message id or time' },
    includePinned: { name: 'include_pinned', description: 'Delete pinned messages too' },
    server: { name: 'server', description: 'The game server' },
    command: { name: 'command', description: 'One line of at most 1446 bytes' },
    number: { name: 'number', description: 'Number of the case, such as 12' },
    text: { name: 'text', description: 'What to remember' },
    note: { name: 'note', description: 'Which note' },
  },
  strikes: {
    list: {
      name: 'list',
      description: 'List strikes, newest first',
      options: {
        user: 'Only strikes of this user',
        severity: 'Only strikes of this severity',
        active: 'Only strikes that count, or only those removed',
      },
    },
    add: { name: 'add', description: 'Add a strike to a user', options: { user: 'Who gets the strike' } },
    remove: { name: 'remove', description: 'Remove a strike; it stays on record as removed', options: {} },
  },
  bans: {
    add: {
      name: 'ban',
      description: 'Ban a user, for good or for a while',
      options: {
        user: 'Who is banned; need not be a member',
        duration: 'Length of the ban, such as 30m, 2d, 1w or permanent',
      },
    },
    lift: { name: 'unban', description: 'Lift the ban of a user', options: {} },
  },
  mutes: {
    add: { name: 'mute', description: 'Mute a user for a while', options: { user: 'Who is muted' } },
    lift: { name: 'unmute', description: 'Lift the mute of a user', options: {} },
  },
  tickets: {
    open: { name: 'open', description: 'Open a ticket, in a channel of its own', options: {} },
    claim: { name: 'claim', description: 'Claim a ticket', options: {} },
    unclaim: {
      name: 'release',
      description: 'Release a claimed ticket, so that it is open again',
      options: {},
    },
    close: {
      name: 'close',
      description: 'Close a ticket: its channel is deleted, its transcript kept',
      options: { reason: 'Why, as the ticket will show it' },
    },
    panel: { name: 'panel', description: 'Post a button that opens tickets', options: {} },
  },
  messages: {
    purge: {
      name: 'purge',
      description: 'Delete the latest messages of a channel that fit; they are kept for 30 days',
      options: { user: 'Only messages of this user' },
    },
  },
  servers: {
    rcon: { name: 'rcon', description: 'Run a command on a game server over RCON', options: {} },
  },
  cases: {
    get: { name: 'case', description: 'Show a case by its number', options: {} },
    list: {
      name: 'history',
      description: 'Show the latest cases of a user',
      options: { user: 'Whose cases' },
    },
  },
  members: {
    self: {
      name: 'whoami',
      description: 'Show what you may do here, and which of your roles lets you',
      options: {},
    },
  },
  notes: {
    add: { name: 'add', description: 'Write down a note on a user', options: { user: 'Whom it is about' } },
    list: { name: 'list', description: 'Show the notes on a user', options: { user: 'Whose notes' } },
    remove: { name: 'remove', description: 'Remove a note', options: { user: 'Whose note' } },
  },
} as const;
