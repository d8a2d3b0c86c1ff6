import type { Translated } from '#src/translated.ts';

export const presets: Translated<'presets'> = {
  gone: 'Este motivo predefinido ya no existe. Elija otro o escriba un motivo.',
  severityNeeded: 'Indique la gravedad, o elija un motivo predefinido que la incluya.',
  durationNeeded: 'Indique la duración, o elija un motivo predefinido que la incluya.',
};
