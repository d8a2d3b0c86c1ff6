import type { Translated } from '#src/translated.ts';

export const presets: Translated<'presets'> = {
  gone: 'Diese vorgefertigte Begründung gibt es nicht mehr. Wählen Sie eine andere oder schreiben Sie eine Begründung.',
  severityNeeded:
    'Geben Sie den Schweregrad an oder wählen Sie eine vorgefertigte Begründung, die ihn mitbringt.',
  durationNeeded: 'Geben Sie die Dauer an oder wählen Sie eine vorgefertigte Begründung, die sie mitbringt.',
};
