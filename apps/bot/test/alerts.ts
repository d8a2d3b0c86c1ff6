import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { personOf } from './harness.ts';

/** Gives each test a guild with a moderator, and what a test of the alerts in `#mod-log` does there. */
export function alertsForEachTest(words: string, use: (stage: ChatStage) => void) {
  let stage: ChatStage;
  const { spoil } = chatGuildForEachTest({ Moderator: ['strikes.read'] }, (made) => {
    stage = made;
    use(made);
  });
  const query = (text: string, values: unknown[] = []) => stage.test.database.pool.query(text, values);
  const log = () =>
    stage.sandbox
      .getState(200)
      .guilds.find(({ id }) => id === stage.guildId)
      ?.channels.find(({ name }) => name === 'mod-log');
  return {
    query,
    log,
    spoil,
    /** The alerts with these words. */
    alerts: () =>
      (log()?.messages ?? [])
        .flatMap(({ embeds }) => embeds[0]?.description ?? [])
        .filter((text) => text.includes(words)),
    /** Gives somebody a case. */
    strike: (userId: string, guildId = stage.guildId) =>
      query("SELECT open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')", [
        guildId,
        userId,
        personOf(stage.sandbox, 'moderator'),
      ]),
  };
}
