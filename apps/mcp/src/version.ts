import manifest from '../package.json' with { type: 'json' };

/** The version of this package. */
export const VERSION: string = manifest.version;

const [, script = ''] = process.argv;

/** The command that starts this program as it was started now, for messages. */
export const COMMAND = `node ${/\s/.test(script) ? `"${script}"` : script}`;
