import type { Translated } from '#src/translated.ts';

export const session: Translated<'session'> = {
  ended: 'Ihre Sitzung ist zu Ende, und es wurde nichts getan. Was Sie eingegeben haben, bleibt hier stehen.',
  signInAgain: 'In einem neuen Tab wieder anmelden',
  signedInAgain: 'Sie sind wieder angemeldet. Senden Sie es noch einmal.',
  backTitle: 'Sie sind angemeldet',
  backLead:
    'Gehen Sie zurück zu dem Tab, aus dem Sie kamen. Ihre Eingaben stehen noch da; senden Sie sie noch einmal.',
};
