import type { Translated } from '#src/translated.ts';

export const docs: Translated<'docs'> = {
  openApi: 'Documento OpenAPI',
  lead: 'Modere un servidor desde sus propios programas. Los ejemplos se pegan en una consola.',
  filledIn: 'Están rellenados con su servidor.',
  putYourGuild: 'Ponga el ID de su servidor en lugar de {id}.',
};
