export { default as chat } from '#words/en/chat.json' with { type: 'json' };
export { default as commands } from '#words/en/commands.json' with { type: 'json' };
export { default as common } from '#words/en/common.json' with { type: 'json' };
export { default as errors } from '#words/en/errors.json' with { type: 'json' };
export { default as escalation } from '#words/en/escalation.json' with { type: 'json' };
export { default as evidence } from '#words/en/evidence.json' with { type: 'json' };
export { default as games } from '#words/en/games.json' with { type: 'json' };
export { default as identities } from '#words/en/identities.json' with { type: 'json' };
export { default as many } from '#words/en/many.json' with { type: 'json' };
export { default as moderators } from '#words/en/moderators.json' with { type: 'json' };
export { default as names } from '#words/en/names.json' with { type: 'json' };
export { default as notes } from '#words/en/notes.json' with { type: 'json' };
export { default as notices } from '#words/en/notices.json' with { type: 'json' };
export { default as presets } from '#words/en/presets.json' with { type: 'json' };
export { default as reports } from '#words/en/reports.json' with { type: 'json' };
export { default as standing } from '#words/en/standing.json' with { type: 'json' };
export { default as ticketStatistics } from '#words/en/ticket-statistics.json' with { type: 'json' };

export * as operations from './en-operations.ts';
