import type { Translated } from '#src/translated.ts';

export const presets: Translated<'presets'> = {
  gone: 'Este motivo predefinido não existe mais. Escolha outro ou escreva um motivo.',
  severityNeeded: 'Informe a gravidade ou escolha um motivo predefinido que a traga.',
  durationNeeded: 'Informe a duração ou escolha um motivo predefinido que a traga.',
};
