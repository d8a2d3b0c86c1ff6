import type { Translated } from '#src/translated.ts';

export const docs: Translated<'docs'> = {
  openApi: 'OpenAPI-Dokument',
  lead: 'Moderieren Sie einen Server mit eigenen Programmen. Die Beispiele lassen sich in eine Shell einfügen.',
  filledIn: 'Sie sind mit Ihrem Server ausgefüllt.',
  putYourGuild: 'Setzen Sie die ID Ihres Servers an die Stelle von {id}.',
};
