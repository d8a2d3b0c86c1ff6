import type { Translated } from '#src/translated.ts';

export const evidence: Translated<'evidence'> = {
  caption: 'Caso nº {number}: arquivos da mensagem pela qual {user} foi advertido',
  kept: '{count, plural, one {O arquivo anexado foi guardado} many {Os # arquivos anexados foram guardados} other {Os # arquivos anexados foram guardados}}: {link}',
  noChannel:
    '{count, plural, one {O arquivo anexado não foi guardado} many {Os # arquivos anexados não foram guardados} other {Os # arquivos anexados não foram guardados}}: este servidor não tem canal de registro. O dono o escolhe no painel.',
  tooLarge:
    '{count, plural, one {# arquivo anexado não foi guardado} many {# arquivos anexados não foram guardados} other {# arquivos anexados não foram guardados}}: mais de {megabytes} MB.',
  unread:
    '{count, plural, one {# arquivo anexado não foi guardado} many {# arquivos anexados não foram guardados} other {# arquivos anexados não foram guardados}}: o Discord não os entregou.',
  unposted:
    '{count, plural, one {O arquivo anexado não foi guardado} many {Os # arquivos anexados não foram guardados} other {Os # arquivos anexados não foram guardados}}: o bot não conseguiu publicar em {channel}.',
  forgotten:
    'Os anexos não foram guardados: o formulário ficou aberto por tempo demais ou o bot foi reiniciado.',
};
