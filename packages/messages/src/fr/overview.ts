import type { Translated } from '#src/translated.ts';

export const overview: Translated<'overview'> = {
  title: 'Vue d’ensemble',
  lead: 'Ce qui vous attend dans {guild}, et ce qui s’est passé dernièrement.',
  attention: 'À traiter',
  nothingWaits: 'Rien ne vous attend.',
  grantsUnconfirmed: 'Confirmez ce que vos rôles peuvent faire',
  grantsUnconfirmedDetail: 'D’ici là, vous seul pouvez modérer avec Bailiff.',
  logChannel: 'Les dossiers ne sont pas publiés dans le salon de journal',
  logChannelDetail:
    '{problem, select, unknown_channel {Le salon n’existe plus.} missing_permission {Une permission y manque au bot.} other {Discord a refusé.}} Choisissez à nouveau le salon dans les réglages.',
  pendingApprovals:
    '{count, plural, one {# appel attend votre approbation} many {# appels attendent votre approbation} other {# appels attendent votre approbation}}',
  pendingApprovalsDetail: 'Regardez ce qui est demandé avant de trancher.',
  openWindows:
    '{count, plural, one {# fenêtre est ouverte} many {# fenêtres sont ouvertes} other {# fenêtres sont ouvertes}}',
  openWindowsDetail: 'Fermez celles dont personne n’a besoin.',
  tokensToRotate:
    '{count, plural, one {# jeton à faire tourner} many {# jetons à faire tourner} other {# jetons à faire tourner}}',
  tokensToRotateDetail: 'Depuis plus de 180 jours.',
  tokensExpiring:
    '{count, plural, one {# jeton expire sous une semaine} many {# jetons expirent sous une semaine} other {# jetons expirent sous une semaine}}',
  tokensExpiringDetail: 'Renouvelez-les avant que leurs scripts ne s’arrêtent.',
  serversDown:
    '{count, plural, one {# serveur de jeu injoignable} many {# serveurs de jeu injoignables} other {# serveurs de jeu injoignables}}',
  serversDownDetail: 'Le dernier test ou la dernière commande n’a pas abouti.',
  openTickets:
    '{count, plural, one {# ticket est ouvert} many {# tickets sont ouverts} other {# tickets sont ouverts}}',
  openTicketsDetail:
    '{claimed, plural, =0 {Aucun n’est encore pris en charge.} one {# autre est pris en charge.} many {# autres sont pris en charge.} other {# autres sont pris en charge.}}',
  unknownActions:
    '{count, plural, one {# action est incertaine} many {# actions sont incertaines} other {# actions sont incertaines}}',
  unknownActionsDetail: 'Du dernier jour. Vérifiez si elles ont eu lieu.',
  lastDay: 'Dernières 24 heures',
  actions: 'Actions',
  failures: 'Échouées ou incertaines',
  refusals: 'Refusées',
  ticketsStat: 'Tickets ouverts',
  serversStat: 'Serveurs de jeu joignables',
  ofServers: '{reached, number} sur {all, number}',
  weekBefore: '{count, number} par jour la semaine précédente',
  claimedStat: '{count, number} pris en charge',
  serversUnknown: 'Non testé compte comme joignable',
  activity: 'Ce qui a été fait',
  utc: 'Par jour UTC : ce qui a été exécuté, hors lectures.',
  days: '{count, number} jours',
  span: 'Jours affichés',
  byKind: 'Par type',
  byModerator: 'Par modérateur',
  bySource: 'Par origine',
  day: 'Jour',
  total: 'Total',
  asTable: 'Afficher en tableau',
  others: 'Autres',
  kinds: {
    strikes: 'Avertissements',
    bans: 'Bannissements',
    mutes: 'Réductions au silence',
    tickets: 'Tickets',
    messages: 'Purges',
    servers: 'Serveurs de jeu',
    other: 'Administration',
  },
  noActivityTitle: 'Rien n’a été fait ces jours-là',
  noActivityHint: 'Avertissements, bannissements, tickets et commandes apparaissent ici à mesure.',
  notCountedTitle: 'Le décompte n’a pas abouti à temps',
  notCountedHint: 'La base de données est occupée. Rechargez la page dans un instant.',
  latest: 'Dernièrement',
  latestCaption: 'Les dernières entrées du journal d’audit',
  wholeLog: 'Journal d’audit complet',
};
