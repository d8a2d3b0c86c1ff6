import type { Translated } from '#src/translated.ts';

export const operations: Translated<'operations'> = {
  unnamed: {
    guild: 'servidor {id}',
    user: 'membro {id}',
    channel: 'canal {id}',
    strike: 'advertência {id}',
    server: 'servidor de jogo {id}',
  },
  strikes: {
    add: 'Dar uma advertência {severity, select, major {grave} other {leve}} a {user} em {guild}{hasPlayer, select, yes { (jogador {player})} other {}}{hasInGameId, select, yes { (ID no jogo {inGameId})} other {}}{hasCategory, select, yes { (categoria {category})} other {}}: {reason}',
    remove: 'Remover {strike} em {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  bans: {
    add: 'Banir {user} de {guild} {permanent, select, yes {permanentemente} other {por {length}}}{deletes, select, yes { e apagar as mensagens enviadas até {deleted} atrás} other {}}: {reason}',
    lift: 'Revogar o banimento de {user} em {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  mutes: {
    add: 'Silenciar {user} em {guild} por {length}: {reason}',
    lift: 'Remover o silenciamento de {user} em {guild}{reasoned, select, yes {: {reason}} other {}}',
  },
  messages: {
    purge:
      'Apagar {count, plural, one {# mensagem} many {# de mensagens} other {# mensagens}} em {channel} em {guild}{hasUser, select, yes {, de {user}} other {}}{botsOnly, select, yes {, de bots} other {}}{hasText, select, yes {, que contenham {text}} other {}}{hasBefore, select, yes {, anteriores a {before}} other {}}{hasAfter, select, yes {, posteriores a {after}} other {}}, {withPinned, select, yes {inclusive as fixadas} other {exceto as fixadas}}{reasoned, select, yes {: {reason}} other {}}',
  },
  servers: {
    rcon: 'Executar {command} em {server}, servidor do Discord: {guild}',
  },
};
