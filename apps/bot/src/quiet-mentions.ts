/** Messages of a channel, and answers to commands. */
const MESSAGES = /^\/(?:channels\/\d+\/messages(?:\/\d+)?|webhooks\/\d+\/.+)$/;

/**
 * The body of a request, which mentions nobody unless it says whom: names, reasons and answers are text of strangers, and
 * without this field Discord pings whoever stands in it, also when a message is edited.
 */
export function withQuietMentions(route: string, body: object): object {
  return MESSAGES.test(route) ? { allowed_mentions: { parse: [] }, ...body } : body;
}
