import type { Translated } from '#src/translated.ts';

export const evidence: Translated<'evidence'> = {
  caption: 'Caso n.º {number}: archivos del mensaje por el que {user} recibió una falta',
  kept: '{count, plural, one {El archivo adjunto se guardó} many {Los # archivos adjuntos se guardaron} other {Los # archivos adjuntos se guardaron}}: {link}',
  noChannel:
    '{count, plural, one {El archivo adjunto no se guardó} many {Los # archivos adjuntos no se guardaron} other {Los # archivos adjuntos no se guardaron}}: este servidor no tiene canal de registro. El propietario lo elige en el panel.',
  tooLarge:
    '{count, plural, one {# archivo adjunto no se guardó} many {# archivos adjuntos no se guardaron} other {# archivos adjuntos no se guardaron}}: más de {megabytes} MB.',
  unread:
    '{count, plural, one {# archivo adjunto no se guardó} many {# archivos adjuntos no se guardaron} other {# archivos adjuntos no se guardaron}}: Discord no los entregó.',
  unposted:
    '{count, plural, one {El archivo adjunto no se guardó} many {Los # archivos adjuntos no se guardaron} other {Los # archivos adjuntos no se guardaron}}: el bot no pudo publicar en {channel}.',
  forgotten:
    'Los adjuntos no se guardaron: el formulario estuvo abierto demasiado tiempo o el bot se reinició.',
};
