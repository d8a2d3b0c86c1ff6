import type { Translated } from '#src/translated.ts';

export const signIn: Translated<'signIn'> = {
  title: 'Anmelden',
  heading: 'Bei Bailiff anmelden',
  lead: 'Für Eigentümer und Moderatoren von Servern, um die sich Bailiff kümmert. Discord nennt uns Ihre ID, Ihren Namen und Ihr Bild, sonst nichts.',
  withDiscord: 'Mit Discord anmelden',
  opening: 'Discord wird geöffnet …',
  noAnswer: 'Der Server hat nicht geantwortet. Versuchen Sie es gleich noch einmal.',
  failed: 'Sie sind nicht angemeldet',
  failures: {
    OAuthSignin: 'Discord war nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    OAuthCallback:
      'Discord hat die Anmeldung nicht bestätigt. Vielleicht haben Sie sie abgebrochen; versuchen Sie es erneut.',
    Callback: 'Die Anmeldung konnte nicht abgeschlossen werden. Versuchen Sie es gleich noch einmal.',
    other: 'Die Anmeldung hat nicht funktioniert. Versuchen Sie es erneut.',
  },
  writing: 'Sie schreiben ein Programm?',
  readReference: 'API-Referenz lesen',
};
