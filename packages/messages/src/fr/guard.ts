import type { Translated } from '#src/translated.ts';

export const guard: Translated<'guard'> = {
  lead: 'Collez une requête à l’API publique et voyez quel contrôle la refuserait, et pourquoi. Rien n’est exécuté, décompté ni enregistré.',
  noToken: 'Aucun jeton avec lequel contrôler',
  noTokenText:
    'Une requête est contrôlée comme si un jeton de ce serveur la faisait. Créez-en un sous API & MCP.',
  request: 'Requête',
  requestHint:
    'Une ligne curl, ou méthode et chemin avec le corps JSON en dessous. Un secret qui s’y trouve reste dans ce navigateur.',
  token: 'Jeton',
  tokenHint: 'Choisi ici à la place de son secret.',
  address: 'Depuis l’adresse',
  addressHint: 'D’où viendrait la requête. La vôtre y figure déjà.',
  check: 'Contrôler',
  unreadable:
    'Ceci n’est pas une requête. Commencez par une méthode et un chemin, comme GET /strikes, ou collez une ligne curl.',
  elsewhere: 'La requête va à {host} et non à ce Bailiff. Elle est contrôlée comme si elle arrivait ici.',
  tokenState: '{name} ({state, select, active {actif} expired {expiré} other {révoqué}})',

  admitted: 'Elle serait admise',
  admittedText:
    'Chaque contrôle la laisse passer. C’est à l’exécution que l’on voit si Discord et la hiérarchie des rôles le permettent.',
  refused: 'Elle serait refusée : {status} {code}',
  checks: 'Les contrôles, dans leur ordre',
  passed: 'passé',
  stopped: 'refusé',
  notReached: 'non atteint',
  notNeeded: 'non nécessaire',
  whatItDoes: 'Ce qu’elle fait',
  sentinel: 'La phrase qu’il lui faut',
  sentinelHint: '_confirmation doit dire ceci, dans le corps JSON.',
  sentinelMatches: 'la requête la dit',
  sentinelMissing: 'la requête ne la dit pas',
  copySentinel: 'Copier la phrase',

  step: {
    limit: 'Limite de l’adresse',
    browser: 'Pas depuis un navigateur',
    route: 'Méthode et chemin sont connus',
    token: 'Le jeton est connu',
    address: 'L’adresse est sur sa liste',
    revoked: 'Il n’est pas révoqué',
    expired: 'Il n’a pas expiré',
    guild: 'Le serveur est le sien',
    tier: 'Le serveur est sur l’offre payante',
    mirror: 'Ce que son émetteur peut faire est connu',
    capability: 'Il a la capacité en ce moment',
    input: 'L’entrée est valide',
    settings: 'Les réglages du serveur le permettent',
    window: 'Une fenêtre est ouverte pour lui',
    sentinel: 'La phrase est juste',
    budgets: 'Les deux budgets peuvent payer',
  },
};
