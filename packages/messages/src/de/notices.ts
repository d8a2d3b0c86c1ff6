import type { Translated } from '#src/translated.ts';

export const notices: Translated<'notices'> = {
  target: {
    strike:
      'Sie haben auf **{guild}** eine {severity, select, major {schwere} other {leichte}} Verwarnung erhalten.',
    warning: 'Sie haben auf **{guild}** einen Hinweis erhalten.',
    mute: 'Sie wurden auf **{guild}** für {length} stummgeschaltet.',
    ban: 'Sie wurden von **{guild}** {permanent, select, yes {auf Dauer} other {für {length}}} gebannt.',
    reason: 'Grund: {reason}',
    strikeEnds: 'Sie bleibt dort vermerkt, bis die Moderation sie zurücknimmt.',
    muteEnds: 'Das endet von selbst: {date}.',
    banEnds: 'Das endet von selbst: {date}. Dann können Sie wieder beitreten.',
    banStays: 'Das endet nicht von selbst; nur die Moderation kann es aufheben.',
  },
  log: {
    hello: 'Ab jetzt wird jeder Fall dieses Servers hier gepostet.',
    handUnseen:
      'Bans und Timeouts, die in Discord selbst verhängt werden, werden nicht erfasst: Der Bot darf das Audit-Log nicht lesen. Geben Sie seiner Rolle „Audit-Log anzeigen“; was fehlt, wird dann nachgetragen.',
    title: 'Fall #{number}: {kind}',
    user: 'Nutzer',
    by: 'Von',
    reason: 'Grund',
    length: 'Dauer',
    forGood: 'auf Dauer',
    from: 'Herkunft',
    ended: '{kind, select, strike {Zurückgenommen} other {Aufgehoben}}',
    ledTo: 'Folge',
    expired: 'Abgelaufen',
    endedBy: 'Von {by}, {date}{reasoned, select, yes {: {reason}} other {}}',
    source:
      '{source, select, token {Token {name}} dashboard {Dashboard} chat {Chat} system {Bailiff selbst} other {von Hand in Discord}}',
  },
  tickets: {
    panel:
      'Brauchen Sie die Moderation? Öffnen Sie ein Ticket: Nur Sie und die Moderation sehen seinen Kanal.',
    panelButton: 'Ein Ticket öffnen',
    welcome: 'Ticket #{number}, geöffnet von {who}:',
    hint: 'Die Moderation übernimmt es mit `/ticket claim` und beendet es mit `/ticket close`.',
  },
  rotation: {
    head: 'Tokens von Ihnen auf **{guild}** haben seit 180 Tagen dasselbe Geheimnis:',
    more: 'und {count} weitere',
    ask: 'Sie funktionieren weiter. Bitte wechseln Sie die Geheimnisse: {url}',
  },
};
