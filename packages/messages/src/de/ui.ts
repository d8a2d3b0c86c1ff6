import type { Translated } from '#src/translated.ts';

export const ui: Translated<'ui'> = {
  apply: 'Anwenden',
  cancel: 'Abbrechen',
  clearFilters: 'Filter zurücksetzen',
  close: 'Schließen',
  closeDialog: 'Dialog schließen',
  copied: 'Kopiert',
  copyByHand: 'Bitte markieren und von Hand kopieren',
  developerMode: 'Entwicklermodus',
  developerModeHint:
    'Zeigt, was für Skripte und Assistenten da ist: Tokens, Freigaben, die Prüfung einer Anfrage, die API-Referenz.',
  dismiss: 'Ausblenden',
  failedLead: 'Auf unserer Seite ist etwas schiefgegangen',
  failedNext:
    'Es wurde nichts geändert. Wenn es immer wieder geschieht, wenden Sie sich an den Betreiber dieses Bailiff.',
  failedTitle: 'Diese Seite konnte nicht geladen werden',
  length: {
    amount: 'Wie viele',
    unit: 'Einheit',
    minutes: 'Minuten',
    hours: 'Stunden',
    days: 'Tage',
    weeks: 'Wochen',
  },
  loading: 'Wird geladen',
  newer: 'Neuere',
  older: 'Ältere',
  pages: 'Seiten',
  pageFailed: 'In dieser Seite ist etwas schiefgegangen. Laden Sie sie neu.',
  retry: 'Erneut versuchen',
  serverAnswered: 'Der Server antwortete mit {status}. Versuchen Sie es gleich noch einmal.',
  skipToContent: 'Zum Inhalt springen',
  typeFirst: 'Geben Sie zuerst den Text oben ein',
  typeToConfirm: 'Geben Sie zur Bestätigung {text} ein',
  unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
};
