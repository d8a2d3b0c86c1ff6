import type { FirstStep } from '@bailiff/engine/desk/first-steps';
import { DONE_IN_DISCORD } from './documents/guide-topics.ts';
import { PLACES, sectionPath } from './settings-sections.ts';

interface ListedStep {
  readonly name: FirstStep;
  /** A guild is set up without it. */
  readonly isOptional?: true;
  /** Where it is taken. A step that is taken in Discord leads to the guide that says how. */
  readonly href: (guildId: string) => string;
}

/** What the owner of a new guild does first, in order. */
export const FIRST_STEPS: readonly ListedStep[] = [
  { name: 'roles', href: (guildId) => `${sectionPath(guildId, 'roles')}#${PLACES.roles}` },
  { name: 'logChannel', href: (guildId) => `${sectionPath(guildId, 'general')}#${PLACES.logChannel}` },
  { name: 'reasons', href: (guildId) => `${sectionPath(guildId, 'reasons')}#${PLACES.reasons}` },
  { name: 'escalation', href: (guildId) => `${sectionPath(guildId, 'escalation')}#${PLACES.steps}` },
  { name: 'moderator', href: () => DONE_IN_DISCORD.moderator },
  { name: 'tickets', href: () => DONE_IN_DISCORD.tickets },
  { name: 'token', href: (guildId) => `/guilds/${guildId}/tokens`, isOptional: true },
];

/** Whether everything is done that a guild needs. */
export function isSetUp(done: readonly FirstStep[]): boolean {
  return FIRST_STEPS.every(({ name, isOptional }) => isOptional === true || done.includes(name));
}
