import type { Translated } from '#src/translated.ts';

export const evidence: Translated<'evidence'> = {
  caption: 'Fall #{number}: Dateien der Nachricht, für die {user} verwarnt wurde',
  kept: '{count, plural, one {Die angehängte Datei ist} other {Die # angehängten Dateien sind}} aufbewahrt: {link}',
  noChannel:
    '{count, plural, one {Die angehängte Datei wurde} other {Die # angehängten Dateien wurden}} nicht aufbewahrt: Dieser Server hat keinen Protokollkanal. Der Besitzer legt ihn im Dashboard fest.',
  tooLarge:
    '{count, plural, one {# angehängte Datei wurde} other {# angehängte Dateien wurden}} nicht aufbewahrt: mehr als {megabytes} MB.',
  unread:
    '{count, plural, one {# angehängte Datei wurde} other {# angehängte Dateien wurden}} nicht aufbewahrt: Discord hat den Anhang nicht herausgegeben.',
  unposted:
    '{count, plural, one {Die angehängte Datei wurde} other {Die # angehängten Dateien wurden}} nicht aufbewahrt: Der Bot konnte nicht in {channel} schreiben.',
  forgotten:
    'Der Anhang wurde nicht aufbewahrt: Das Formular war zu lange offen, oder der Bot wurde neu gestartet.',
};
