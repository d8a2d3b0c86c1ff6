export { default as chat } from '#words/es/chat.json' with { type: 'json' };
export { default as commands } from '#words/es/commands.json' with { type: 'json' };
export { default as common } from '#words/es/common.json' with { type: 'json' };
export { default as errors } from '#words/es/errors.json' with { type: 'json' };
export { default as escalation } from '#words/es/escalation.json' with { type: 'json' };
export { default as evidence } from '#words/es/evidence.json' with { type: 'json' };
export { default as games } from '#words/es/games.json' with { type: 'json' };
export { default as identities } from '#words/es/identities.json' with { type: 'json' };
export { default as many } from '#words/es/many.json' with { type: 'json' };
export { default as moderators } from '#words/es/moderators.json' with { type: 'json' };
export { default as names } from '#words/es/names.json' with { type: 'json' };
export { default as notes } from '#words/es/notes.json' with { type: 'json' };
export { default as notices } from '#words/es/notices.json' with { type: 'json' };
export { default as presets } from '#words/es/presets.json' with { type: 'json' };
export { default as reports } from '#words/es/reports.json' with { type: 'json' };
export { default as standing } from '#words/es/standing.json' with { type: 'json' };
export { default as ticketStatistics } from '#words/es/ticket-statistics.json' with { type: 'json' };

export * as operations from './es-operations.ts';
