import type { Translated } from '#src/translated.ts';

export const docs: Translated<'docs'> = {
  openApi: 'Documento OpenAPI',
  lead: 'Modere um servidor a partir dos seus próprios programas. Os exemplos podem ser colados em um shell.',
  filledIn: 'Eles estão preenchidos com o seu servidor.',
  putYourGuild: 'Coloque o ID do seu servidor no lugar de {id}.',
};
