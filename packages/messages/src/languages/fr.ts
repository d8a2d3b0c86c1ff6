export { default as chat } from '#words/fr/chat.json' with { type: 'json' };
export { default as commands } from '#words/fr/commands.json' with { type: 'json' };
export { default as common } from '#words/fr/common.json' with { type: 'json' };
export { default as errors } from '#words/fr/errors.json' with { type: 'json' };
export { default as escalation } from '#words/fr/escalation.json' with { type: 'json' };
export { default as evidence } from '#words/fr/evidence.json' with { type: 'json' };
export { default as games } from '#words/fr/games.json' with { type: 'json' };
export { default as identities } from '#words/fr/identities.json' with { type: 'json' };
export { default as many } from '#words/fr/many.json' with { type: 'json' };
export { default as moderators } from '#words/fr/moderators.json' with { type: 'json' };
export { default as names } from '#words/fr/names.json' with { type: 'json' };
export { default as notes } from '#words/fr/notes.json' with { type: 'json' };
export { default as notices } from '#words/fr/notices.json' with { type: 'json' };
export { default as presets } from '#words/fr/presets.json' with { type: 'json' };
export { default as reports } from '#words/fr/reports.json' with { type: 'json' };
export { default as standing } from '#words/fr/standing.json' with { type: 'json' };
export { default as ticketStatistics } from '#words/fr/ticket-statistics.json' with { type: 'json' };

export * as operations from './fr-operations.ts';
