import type { Translated } from '#src/translated.ts';

export const device: Translated<'device'> = {
  title: 'Client verbinden',
  lead: 'Ein Client auf Ihrem Rechner, etwa Bailiff MCP, zeigt einen Code aus acht Buchstaben. Geben Sie ihn hier ein, damit der Client ein Token für einen Ihrer Server bekommt.',
  freeTier: 'nutzt die kostenlose Stufe; Tokens gehören zur bezahlten',
  botAway: 'der Bot ist nicht verbunden; versuchen Sie es in einer Minute erneut',
  noneOwned: 'Ihnen gehört kein Server, auf dem Bailiff ist',
  noneOwnedText:
    'Nur der Eigentümer eines Servers kann einen Client hereinlassen. Fügen Sie Bailiff einem Ihrer Server hinzu, oder bitten Sie den Eigentümer, den Code einzugeben.',
  add: 'Bailiff zu einem Server hinzufügen',
  noneFit: 'Keiner Ihrer Server kann gerade einen Client aufnehmen',
  noClient: 'Noch kein Client?',
  noClientText: 'Führen Sie dies in einem Terminal aus. Es zeigt den Code.',
  thenConfigure: 'Lassen Sie ihn danach von Ihrem Assistenten starten:',

  code: 'Code',
  codeHint: 'So, wie der Client ihn zeigt. Codes gelten {minutes, plural, one {# Minute} other {# Minuten}}.',
  codeGiven:
    'Der Link hat diesen Code mitgebracht. Machen Sie nur weiter, wenn Ihr eigener Client denselben zeigt.',
  continue: 'Weiter',
  looking: 'Wird gesucht …',
  asks: '{client} bittet um ein Token',
  client: 'Client',
  fromAddress: 'Von der Adresse',
  asked: 'Angefragt',
  lapsesIn: 'Verfällt in',
  guild: 'Server',
  guildHint: 'Das Token gilt nur für diesen Server: 90 Tage lang, mit allem, was Sie dort dürfen.',
  didYou: 'Haben Sie diesen Client gerade eben selbst gestartet?',
  didYouText:
    'Wer ihn betreibt, handelt in Ihrem Namen. Zerstörende Aufrufe warten weiterhin auf Ihre Freigabe.',
  authorise: 'Erlauben',
  refuse: 'Ablehnen',
  lapsed: 'Der Code ist verfallen',
  lapsedText:
    'Codes gelten {minutes, plural, one {# Minute} other {# Minuten}}. Beginnen Sie im Client von vorn, um einen neuen zu bekommen.',
  another: 'Anderen Code eingeben',
  refused: 'Abgelehnt',
  refusedText: '{client} bekommt kein Token. Sie können diese Seite schließen.',
  authorised: 'Erlaubt',
  authorisedText:
    '{client} holt sein Token für {guild} in wenigen Sekunden ab. Sie können diese Seite schließen.',
  seeTokens: 'Tokens von {guild} ansehen',
};
