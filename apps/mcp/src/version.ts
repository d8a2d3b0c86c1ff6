import manifest from '../package.json' with { type: 'json' };

/** The version of this package. */
export const VERSION: string = manifest.version;

/** The command that starts this program, for messages. */
export const COMMAND = `npx -y ${manifest.name}`;
