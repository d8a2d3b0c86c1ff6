/** Why something was not done, by the code of the error and what its details say; what is wrong with what was typed. */
export const errors = {
  notDone: 'Not done. {why}',
  notCertain: 'Not certain. {why}',
  request: 'Request {id}',
  ours: 'Something went wrong on our side. Tell the operator of the bot.',
  owner: 'The owner is {owner}.',
  capabilityDenied:
    'You may not do this: it needs the capability {missing}, which the guild owner grants in the dashboard.',
  alreadyClaimed: 'Somebody else has claimed this ticket.',
  rateLimited: 'Too much at once. Try again in {seconds, plural, one {# second} other {# seconds}}.',
  forbidden: {
    targetIsOwner: 'The guild owner cannot be the target.',
    targetIsBot: 'The bot cannot be the target.',
    targetIsSelf: 'You cannot do this to yourself.',
    roleHierarchy: "The target's highest role is not below yours and the bot's.",
    botMissingPermission:
      'The bot lacks {count, plural, =0 {a Discord permission that this needs. Grant it to its role} one {the Discord permission {permissions}. Grant it to its role} other {a Discord permission. Grant its role {permissions}}}, in the guild and in the channel.',
    commandNotAllowed: 'The command policy of this game server denies the command.',
    notClaimer: 'Only who claimed the ticket, or the guild owner, can release it.',
    ticketLimit:
      'You have 5 open tickets, which is as many as one member may have. Write in one of them, or ask for one to be closed.',
    channelLimit:
      'This guild has as many channels as Discord allows. Close a ticket or delete a channel first.',
    ownerOnly: 'Only the owner of the guild can do this.',
    noteLimit: 'There are as many notes on this person as can be kept. Remove one first.',
    presetLimit: 'There are as many preset reasons as a guild may have. Remove one first.',
    escalationChanged: 'What this strike leads to has changed meanwhile. Look again, and decide anew.',
    notDue: 'This is not due any more: the strikes or the rules have changed.',
  },
  unavailable: {
    bot: '{outcome, select, unknown {The bot gave no answer in time: it is not known yet whether this happened.} other {The bot cannot do this at the moment. Nothing was done; try again in a minute.}}',
    discord:
      '{outcome, select, unknown {Discord gave no certain answer: it is not known yet whether this happened. The audit log will tell.} other {Discord did not do its part. Nothing was done; try again.}}',
    gameServer:
      '{outcome, select, unknown {The command was sent, but the game server gave no whole answer: it may have run. It is not sent again.} other {The game server cannot be reached. Nothing was run.}}',
    database:
      '{outcome, select, unknown {The database does not answer: it is not known yet whether this happened.} other {The database does not answer. Nothing was done; try again in a few seconds.}}',
  },
  notFound: {
    strike: 'This strike is not in force: it was removed already.',
    user: 'Discord knows no user like this.',
    ban: 'This user is not banned.',
    member: 'This user is not a member of the guild.',
    mute: 'This user is not muted.',
    case: 'This guild has no case {number}.',
    channel: 'This guild has no such channel.',
    ticket: 'This ticket is closed already.',
    server: 'This guild has no such game server.',
    note: 'There is no such note any more.',
  },
  issues: {
    at: '{option}: {problem}',
    required: 'is required',
    oneOf: 'must be one of {values}',
    wholeNumber: 'must be a whole number',
    leastCharacters: 'must have at least {count, plural, one {# character} other {# characters}}',
    mostCharacters: 'must have at most {count, plural, one {# character} other {# characters}}',
    least: 'must be at least {bound}',
    most: 'must be at most {bound}',
    noLength: '"{text}" is no length of time. Write it as 30m, 2d or 1w.',
    invalid: 'is not valid',
  },
} as const;
