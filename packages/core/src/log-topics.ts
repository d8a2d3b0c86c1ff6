/** What the log channel shows, sorted so that each topic can have a channel of its own. */
export const LOG_TOPICS = ['bans', 'mutes', 'strikes', 'tickets', 'actions', 'alerts'] as const;
export type LogTopic = (typeof LOG_TOPICS)[number];
