import type { Translated } from '#src/translated.ts';

export const approvals: Translated<'approvals'> = {
  lead: 'Les appels destructeurs de vos jetons attendent ici que vous les autorisiez. N’autorisez que ce que vous attendiez.',
  waiting: 'En attente de votre décision',
  nothingWaits: 'Rien n’attend',
  nothingWaitsText:
    'Lorsqu’un jeton fait un appel destructeur sans fenêtre ouverte, l’appel exact apparaît ici pendant une heure.',
  linkGone: 'L’appel de ce lien n’attend plus',
  linkUnknown: 'Il date de plus d’un jour ou n’appartient pas à ce serveur.',
  linkLapsed: 'Il est devenu caduc après une heure. L’appelant peut redemander.',
  linkApprovedCall: 'Il a été approuvé : cet appel seulement.',
  linkApprovedWindow: 'Il a été approuvé avec une fenêtre.',
  linkRefused: 'Il a été refusé.',

  token: 'Jeton',
  from: 'De',
  asked: 'Demandé',
  lapsesIn: 'Caduc dans',
  exactCall: 'L’appel exact',
  thisCallOnly: 'Cet appel seulement',
  refuse: 'Refuser',
  allowedCall: 'Autorisé : cet appel seulement.',
  allowedWindow: 'Autorisé : une fenêtre est ouverte.',
  refusedDone: 'Refusé.',
  waitsNoMore:
    'Cette demande n’attend plus : elle a déjà été tranchée ou est devenue caduque. Ce qui a été décidé reste.',

  windows: 'Fenêtres',
  windowsLead:
    'Tant qu’une fenêtre est ouverte, son jeton peut faire tout appel destructeur, l’un après l’autre.',
  noToken: 'Aucun jeton n’est actif',
  noTokenText: 'Les fenêtres s’ouvrent pour des jetons. Créez-en un sous API & MCP.',
  approveNext: 'Approuver la prochaine action destructrice',
  opens: 'Ouvre une fenêtre de {count, plural, one {# minute} many {# de minutes} other {# minutes}}',
  openFor: 'Ouverte pendant',
  close: 'Fermer',
  callsOf: 'Appels dans la fenêtre ouverte de {name}',
  noCalls: 'Aucun appel pour l’instant. Chacun apparaît ici dès qu’il a lieu.',
  state: {
    pending: 'attend',
    running: 'en cours',
    done: 'fait',
    failed: 'échoué',
    unknown: 'issue inconnue',
    cancelled: 'non exécuté',
  },

  lastDay: 'Le dernier jour',
  lastDayCaption: 'Demandes du dernier jour qui n’attendent plus',
  call: 'Appel',
  decision: 'Décision',
  madeCall: 'cet appel seulement',
  unmadeCall: 'cet appel seulement, pas encore fait',
  aWindow: 'une fenêtre',
  refused: 'refusé',
  lapsed: 'caduc',
};
