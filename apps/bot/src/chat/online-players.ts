import type { OutputOf } from '@bailiff/core';
import { type Locale, translator } from '@bailiff/messages';
import { fitting } from './fitting.ts';
import { quoted } from './text.ts';

const MOST_NAME = 64;

/** Who is online on a game server, each with their ids and the member whose identity that is; or why nobody knows. */
export function onlineText(locale: Locale, { online }: OutputOf<'servers.players'>): string {
  const say = translator(locale, 'games');
  if (online.state !== 'listed') return say(`online.state.${online.state}`);
  const { players, more, unread, server_name } = online;
  const lines = players.map(({ name, identities, user_id }) => {
    const ids = identities.filter(({ in_game_id }) => in_game_id !== name);
    const named = [quoted(name, MOST_NAME), ...ids.map(({ in_game_id }) => `\`${in_game_id}\``)].join(' ');
    return `- ${named}${user_id === null ? '' : ` <@${user_id}>`}`;
  });
  const count = players.length + more;
  const rest = [
    ...(more === 0 ? [] : [say('online.more', { count: more })]),
    ...(unread === 0 ? [] : [say('online.unread', { count: unread })]),
  ];
  const head = say('online.head', { server: quoted(server_name, MOST_NAME), count });
  return fitting(translator(locale, 'chat'), [head, ...lines], rest);
}
