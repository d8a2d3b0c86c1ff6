import manifest from '../package.json' with { type: 'json' };

/** Of this package. */
export const VERSION: string = manifest.version;

/** How a person starts this program, for messages that name a command. */
export const COMMAND = `npx -y ${manifest.name}`;
