import type { Translated } from '#src/translated.ts';

export const presets: Translated<'presets'> = {
  gone: 'Ce motif prédéfini n’existe plus. Choisissez-en un autre ou écrivez un motif.',
  severityNeeded: 'Indiquez la gravité, ou choisissez un motif prédéfini qui la précise.',
  durationNeeded: 'Indiquez la durée, ou choisissez un motif prédéfini qui la précise.',
};
