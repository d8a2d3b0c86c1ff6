export { default as chat } from '#words/pt/chat.json' with { type: 'json' };
export { default as commands } from '#words/pt/commands.json' with { type: 'json' };
export { default as common } from '#words/pt/common.json' with { type: 'json' };
export { default as errors } from '#words/pt/errors.json' with { type: 'json' };
export { default as escalation } from '#words/pt/escalation.json' with { type: 'json' };
export { default as evidence } from '#words/pt/evidence.json' with { type: 'json' };
export { default as games } from '#words/pt/games.json' with { type: 'json' };
export { default as identities } from '#words/pt/identities.json' with { type: 'json' };
export { default as many } from '#words/pt/many.json' with { type: 'json' };
export { default as moderators } from '#words/pt/moderators.json' with { type: 'json' };
export { default as names } from '#words/pt/names.json' with { type: 'json' };
export { default as notes } from '#words/pt/notes.json' with { type: 'json' };
export { default as notices } from '#words/pt/notices.json' with { type: 'json' };
export { default as presets } from '#words/pt/presets.json' with { type: 'json' };
export { default as reports } from '#words/pt/reports.json' with { type: 'json' };
export { default as standing } from '#words/pt/standing.json' with { type: 'json' };
export { default as ticketStatistics } from '#words/pt/ticket-statistics.json' with { type: 'json' };

export * as operations from './pt-operations.ts';
