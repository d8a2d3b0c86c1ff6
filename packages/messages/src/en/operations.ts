/** What a call does, in one sentence: what an owner reads before approving it, and a moderator once it is done. */
export const operations = {
  unnamed: {
    guild: 'guild {id}',
    user: 'user {id}',
    channel: 'channel {id}',
    strike: 'strike {id}',
    server: 'server {id}',
  },
  strikes: {
    add: 'Add a {severity, select, major {major} other {minor}} strike to {user} in {guild}{hasPlayer, select, yes { (player {player})} other {}}{hasInGameId, select, yes { (in-game id {inGameId})} other {}}{hasCategory, select, yes { (category {category})} other {}}: {reason}',
    remove: 'Remove {strike} in {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  bans: {
    add: 'Ban {user} in {guild} {permanent, select, yes {for good} other {for {length}}}{deletes, select, yes { and delete the messages of the last {deleted}} other {}}: {reason}',
    lift: 'Lift the ban of {user} in {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  mutes: {
    add: 'Mute {user} in {guild} for {length}: {reason}',
    lift: 'Lift the mute of {user} in {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  messages: {
    purge:
      'Delete {count, plural, one {# message} other {# messages}} in {channel} in {guild}{hasUser, select, yes {, of {user}} other {}}{botsOnly, select, yes {, of bots} other {}}{hasText, select, yes {, that contain {text}} other {}}{hasBefore, select, yes {, before {before}} other {}}{hasAfter, select, yes {, after {after}} other {}}, {withPinned, select, yes {pinned ones too} other {but no pinned ones}}{reasoned, select, yes {: {reason}} other {}}',
  },
  servers: {
    rcon: 'Run {command} on {server} in {guild}',
  },
} as const;
