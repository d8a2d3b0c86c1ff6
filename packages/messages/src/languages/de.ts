export { default as chat } from '#words/de/chat.json' with { type: 'json' };
export { default as commands } from '#words/de/commands.json' with { type: 'json' };
export { default as common } from '#words/de/common.json' with { type: 'json' };
export { default as errors } from '#words/de/errors.json' with { type: 'json' };
export { default as escalation } from '#words/de/escalation.json' with { type: 'json' };
export { default as evidence } from '#words/de/evidence.json' with { type: 'json' };
export { default as games } from '#words/de/games.json' with { type: 'json' };
export { default as identities } from '#words/de/identities.json' with { type: 'json' };
export { default as many } from '#words/de/many.json' with { type: 'json' };
export { default as moderators } from '#words/de/moderators.json' with { type: 'json' };
export { default as names } from '#words/de/names.json' with { type: 'json' };
export { default as notes } from '#words/de/notes.json' with { type: 'json' };
export { default as notices } from '#words/de/notices.json' with { type: 'json' };
export { default as presets } from '#words/de/presets.json' with { type: 'json' };
export { default as reports } from '#words/de/reports.json' with { type: 'json' };
export { default as standing } from '#words/de/standing.json' with { type: 'json' };
export { default as ticketStatistics } from '#words/de/ticket-statistics.json' with { type: 'json' };

export * as operations from './de-operations.ts';
